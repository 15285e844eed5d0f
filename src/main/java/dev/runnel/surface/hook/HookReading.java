package dev.runnel.surface.hook;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.prompt.Fence;
import dev.runnel.surface.hook.Hook.Condition;
import dev.runnel.surface.kit.Hmac;
import dev.runnel.text.Sha256;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/// The result of reading a body for its hook. Pure.
sealed interface HookReading {
  byte[] FENCE = "fence:".getBytes(StandardCharsets.UTF_8);

  /// @param delivery the delivery key, the same when it is resent
  /// @param conversation the conversation key
  record Accepted(Intent intent, String delivery, String conversation, Optional<URI> link)
      implements HookReading {}

  /// Does not meet a condition of the hook.
  ///
  /// @param why the condition that is not met
  record Ignored(String why) implements HookReading {}

  /// Lacks a value that the hook needs.
  record Incomplete(String why) implements HookReading {}

  /// @param header looks up a header by name
  static HookReading of(
      Hook hook, JsonNode body, byte[] bytes, Function<String, Optional<String>> header) {
    var failed = hook.only().stream().filter(each -> !holds(each, body)).findFirst();
    if (failed.isPresent()) {
      return new Ignored(
          "%s is not %s".formatted(failed.get().at(), String.join(" or ", failed.get().values())));
    }
    var delivery =
        hook.delivery().isEmpty()
            ? Optional.of(Sha256.hex(bytes))
            : hook.delivery().flatMap(at -> key(at, body, header));
    if (delivery.isEmpty()) {
      return new Incomplete(
          "%s is missing: it identifies the delivery".formatted(hook.delivery().get()));
    }
    var conversation =
        hook.conversation().isEmpty()
            ? delivery
            : hook.conversation().flatMap(at -> scalar(body, at)).map(HookReading::key);
    if (conversation.isEmpty()) {
      return new Incomplete(
          "%s is missing: it identifies the conversation".formatted(hook.conversation().get()));
    }
    return intent(hook, body, bytes)
        .<HookReading>map(
            intent -> new Accepted(intent, delivery.get(), conversation.get(), link(hook, body)))
        .orElseGet(() -> new Incomplete("The body has no prompt"));
  }

  private static Optional<Intent> intent(Hook hook, JsonNode body, byte[] bytes) {
    if (!hook.cancels().isEmpty() && hook.cancels().stream().allMatch(each -> holds(each, body))) {
      return Optional.of(
          new Intent.Cancel(
              Optional.empty(), Optional.of("The hook " + hook.name() + " said so.")));
    }
    return hook.prompt()
        .of(body, fence(hook, bytes))
        .map(text -> new Intent.Say(new Request(text, options(hook, body))));
  }

  private static RunOptions options(Hook hook, JsonNode body) {
    var fixed = hook.options();
    return new RunOptions(
        fixed.profile(),
        fixed.environment(),
        fixed.model(),
        fixed.skill(),
        fixed.name(),
        hook.title().flatMap(at -> scalar(body, at)).or(fixed::title),
        fixed.factory());
  }

  /// Derived from the secret, so that authors of parts of the body cannot know it.
  private static Fence fence(Hook hook, byte[] bytes) {
    var secret = hook.proof().secrets().getFirst();
    return new Fence("data-" + Hmac.hex(secret, FENCE, bytes).substring(0, 16));
  }

  private static boolean holds(Condition condition, JsonNode body) {
    return scalar(body, condition.at()).filter(condition.values()::contains).isPresent();
  }

  private static Optional<String> key(
      String at, JsonNode body, Function<String, Optional<String>> header) {
    var value = Hook.isPlace(at) ? scalar(body, Hook.place(at)) : header.apply(at);
    return value.filter(it -> !it.isBlank()).map(HookReading::key);
  }

  /// A short value of safe characters, because it becomes part of our keys.
  private static String key(String value) {
    return value.matches("[A-Za-z0-9._-]{1,100}") ? value : Sha256.hex(value);
  }

  private static Optional<String> scalar(JsonNode body, JsonPointer at) {
    var value = body.at(at);
    return value.isValueNode() && !value.isNull() ? Optional.of(value.asText()) : Optional.empty();
  }

  private static Optional<URI> link(Hook hook, JsonNode body) {
    try {
      return hook.link()
          .flatMap(at -> scalar(body, at))
          .map(URI::create)
          .filter(uri -> List.of("http", "https").contains(uri.getScheme()));
    } catch (IllegalArgumentException noAddress) {
      return Optional.empty();
    }
  }
}
