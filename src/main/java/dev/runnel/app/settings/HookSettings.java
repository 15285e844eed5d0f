package dev.runnel.app.settings;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.surface.Setting;
import dev.runnel.surface.hook.Hook;
import dev.runnel.surface.hook.Hook.Condition;
import dev.runnel.surface.hook.HookPrompt;
import dev.runnel.surface.hook.HookProof;
import dev.runnel.surface.hook.HookProof.Encoding;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Reads `hooks` of the file: senders of JSON that start runs. A hook without a proof of its sender
/// stops the start.
final class HookSettings {
  static final String PLACE = "hooks";
  private static final List<String> KEYS =
      List.of(
          "proof",
          "only",
          "cancel",
          "template",
          "prompt",
          "title",
          "conversation",
          "delivery",
          "link",
          "callback",
          "profile",
          "environment",
          "model",
          "skill",
          "name",
          "factory");
  private static final List<String> PROOF_KEYS =
      List.of("kind", "secret", "header", "prefix", "encoding", "sent_at", "tolerance");
  private static final List<String> KINDS = List.of("hmac-sha256", "standard-webhooks", "bearer");
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private final YamlSection part;
  private final UnaryOperator<String> secrets;

  private HookSettings(Path file, UnaryOperator<String> secrets) {
    this.part = new YamlSection(file);
    this.secrets = secrets;
  }

  /// @param secrets replaces references to variables in a secret by their values
  static List<Hook> read(JsonNode tree, Path file, UnaryOperator<String> secrets) {
    return new HookSettings(file, secrets).hooks(tree);
  }

  private List<Hook> hooks(JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return List.of();
    }
    if (!tree.isObject()) {
      throw part.wrong(PLACE, "must hold hooks by their names");
    }
    return tree.properties().stream().map(entry -> hook(entry.getKey(), entry.getValue())).toList();
  }

  private Hook hook(String name, JsonNode tree) {
    var place = PLACE + "." + name;
    part.checkKeys(place, tree, KEYS);
    return at(
        place,
        () ->
            new Hook(
                name,
                proof(place + ".proof", tree.path("proof")),
                conditions(place + ".only", tree.path("only")),
                conditions(place + ".cancel", tree.path("cancel")),
                words(place, tree),
                value(place, tree, "title")
                    .map(each -> at(place + ".title", () -> Hook.place(each))),
                value(place, tree, "conversation")
                    .map(each -> at(place + ".conversation", () -> Hook.place(each))),
                value(place, tree, "delivery"),
                value(place, tree, "link").map(each -> at(place + ".link", () -> Hook.place(each))),
                new RunOptions(
                    value(place, tree, "profile"),
                    value(place, tree, "environment"),
                    value(place, tree, "model"),
                    value(place, tree, "skill"),
                    value(place, tree, "name"),
                    Optional.empty(),
                    value(place, tree, "factory")),
                value(place, tree, "callback").map(each -> callback(place + ".callback", each))));
  }

  private HookProof proof(String place, JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      throw part.wrong(
          place,
          "is missing: whoever can send to a hook can start runs. Give it a kind (%s) and a secret"
              .formatted(String.join(", ", KINDS)));
    }
    part.checkKeys(place, tree, PROOF_KEYS);
    var kind = value(place, tree, "kind").orElse("");
    var secret = secrets(place + ".secret", tree.path("secret"));
    var proof =
        at(
            place + ".secret",
            () ->
                switch (kind) {
                  case "hmac-sha256" ->
                      new HookProof.Signature(
                          value(place, tree, "header").orElse("X-Signature"),
                          value(place, tree, "prefix").orElse(""),
                          encoding(place + ".encoding", value(place, tree, "encoding")),
                          secret);
                  case "standard-webhooks" -> new HookProof.Standard(secret);
                  case "bearer" -> new HookProof.Bearer(secret);
                  default ->
                      throw part.wrong(
                          place + ".kind", "must be one of " + String.join(", ", KINDS));
                });
    var tolerance =
        value(place, tree, "tolerance").map(each -> duration(place + ".tolerance", each));
    var sentAt = value(place, tree, "sent_at");
    if (sentAt.isEmpty() && tolerance.isPresent()) {
      throw part.wrong(
          place + ".tolerance", "says nothing without sent_at, the place of the time in the body");
    }
    return sentAt
        .<HookProof>map(
            each ->
                new HookProof.Fresh(
                    proof,
                    at(place + ".sent_at", () -> Hook.place(each)),
                    tolerance.orElse(TOLERANCE)))
        .orElse(proof);
  }

  private List<String> secrets(String place, JsonNode tree) {
    var texts =
        tree.isArray()
            ? part.strings(place, tree)
            : part.text(place, tree).map(List::of).orElse(List.of());
    var values = texts.stream().map(secrets).toList();
    if (!values.stream().allMatch(Setting::isLong)) {
      throw part.wrong(place, Setting.TOO_SHORT);
    }
    return values;
  }

  private Encoding encoding(String place, Optional<String> text) {
    return switch (text.orElse("hex").toLowerCase(Locale.ROOT)) {
      case "hex" -> Encoding.HEX;
      case "base64" -> Encoding.BASE64;
      default -> throw part.wrong(place, "must be hex or base64");
    };
  }

  private HookPrompt words(String place, JsonNode tree) {
    var template = value(place, tree, "template");
    var prompt = value(place, tree, "prompt");
    if (template.isPresent() == prompt.isPresent()) {
      throw part.wrong(
          place,
          "needs either a template (your words, with data like {/alert/name} between them) or a"
              + " prompt (the place of the whole prompt in the body)");
    }
    return template
        .<HookPrompt>map(each -> at(place + ".template", () -> HookPrompt.Template.parse(each)))
        .orElseGet(
            () ->
                new HookPrompt.Place(
                    at(place + ".prompt", () -> Hook.place(prompt.orElseThrow()))));
  }

  private List<Condition> conditions(String place, JsonNode tree) {
    if (tree.isMissingNode() || tree.isNull()) {
      return List.of();
    }
    if (!tree.isObject() || tree.isEmpty()) {
      throw part.wrong(place, "must hold values by their places, like /action: failed");
    }
    var byPlace = new LinkedHashMap<String, List<String>>();
    for (var entry : tree.properties()) {
      var values = new ArrayList<String>();
      if (entry.getValue().isArray()) {
        values.addAll(part.strings(place + "." + entry.getKey(), entry.getValue()));
      } else {
        part.text(place + "." + entry.getKey(), entry.getValue()).ifPresent(values::add);
      }
      byPlace.put(entry.getKey(), values);
    }
    return at(place, () -> Hook.conditions(byPlace));
  }

  private URI callback(String place, String text) {
    return at(
        place,
        () -> {
          var address = URI.create(text);
          if (address.getHost() == null
              || !List.of("http", "https").contains(String.valueOf(address.getScheme()))) {
            throw new IllegalArgumentException("needs a web address");
          }
          return address;
        });
  }

  private Duration duration(String place, String text) {
    return DurationsAndSizes.time(text)
        .orElseThrow(() -> part.wrong(place, "must be a time like 90s or 5m"));
  }

  private Optional<String> value(String place, JsonNode tree, String key) {
    return part.text(place + "." + key, tree.path(key));
  }

  private interface Reading<T> {
    T read();
  }

  /// Adds the place to the message of an exception.
  private <T> T at(String place, Reading<T> reading) {
    try {
      return reading.read();
    } catch (SettingsException told) {
      throw told;
    } catch (IllegalArgumentException e) {
      throw part.wrong(place, String.valueOf(e.getMessage()));
    }
  }
}
