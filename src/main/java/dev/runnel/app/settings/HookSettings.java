package dev.runnel.app.settings;

import com.fasterxml.jackson.core.JsonPointer;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.surface.Setting;
import dev.runnel.surface.hook.Hook;
import dev.runnel.surface.hook.Hook.Condition;
import dev.runnel.surface.hook.HookPrompt;
import dev.runnel.surface.hook.HookProof;
import dev.runnel.surface.hook.HookProof.Encoding;
import java.net.URI;
import java.time.Duration;
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
          """
          proof only cancel template prompt title conversation delivery link callback profile
          environment model skill name factory
          """
              .split("\\s+"));
  private static final List<String> PROOF_KEYS =
      List.of("kind", "secret", "header", "prefix", "encoding", "sent_at", "tolerance");
  private static final List<String> KINDS = List.of("hmac-sha256", "standard-webhooks", "bearer");
  private static final Duration TOLERANCE = Duration.ofMinutes(5);

  private final UnaryOperator<String> secrets;

  private HookSettings(UnaryOperator<String> secrets) {
    this.secrets = secrets;
  }

  /// @param secrets replaces references to variables in a secret by their values
  static List<Hook> read(YamlSection section, UnaryOperator<String> secrets) {
    var reader = new HookSettings(secrets);
    return section.entries("must hold hooks by their names").entrySet().stream()
        .map(entry -> reader.hook(entry.getKey(), entry.getValue()))
        .toList();
  }

  private Hook hook(String name, YamlSection section) {
    section.checkKeys(KEYS);
    return section.read(
        () ->
            new Hook(
                name,
                proof(section.at("proof")),
                conditions(section.at("only")),
                conditions(section.at("cancel")),
                prompt(section),
                bodyPlace(section.at("title")),
                bodyPlace(section.at("conversation")),
                section.text("delivery"),
                bodyPlace(section.at("link")),
                new RunOptions(
                    section.text("profile"),
                    section.text("environment"),
                    section.text("model"),
                    section.text("skill"),
                    section.text("name"),
                    Optional.empty(),
                    section.text("factory")),
                callback(section.at("callback"))));
  }

  private HookProof proof(YamlSection section) {
    if (section.isAbsent()) {
      throw section.wrong(
          "is missing: whoever can send to a hook can start runs. Give it a kind (%s) and a secret"
              .formatted(String.join(", ", KINDS)));
    }
    section.checkKeys(PROOF_KEYS);
    var kind = section.text("kind").orElse("");
    var secret = secrets(section.at("secret"));
    var proof =
        section
            .at("secret")
            .<HookProof>read(
                () ->
                    switch (kind) {
                      case "hmac-sha256" ->
                          new HookProof.Signature(
                              section.text("header").orElse("X-Signature"),
                              section.text("prefix").orElse(""),
                              encoding(section.at("encoding")),
                              secret);
                      case "standard-webhooks" -> new HookProof.Standard(secret);
                      case "bearer" -> new HookProof.Bearer(secret);
                      default ->
                          throw section
                              .at("kind")
                              .wrong("must be one of " + String.join(", ", KINDS));
                    });
    var tolerance = section.at("tolerance");
    var maxAge =
        tolerance
            .text()
            .map(
                text ->
                    DurationsAndSizes.time(text)
                        .orElseThrow(() -> tolerance.wrong("must be a time like 90s or 5m")));
    var sentAt = bodyPlace(section.at("sent_at"));
    if (sentAt.isEmpty() && maxAge.isPresent()) {
      throw tolerance.wrong("says nothing without sent_at, the place of the time in the body");
    }
    return sentAt
        .<HookProof>map(place -> new HookProof.Fresh(proof, place, maxAge.orElse(TOLERANCE)))
        .orElse(proof);
  }

  private List<String> secrets(YamlSection section) {
    var values = section.oneOrMore().stream().map(secrets).toList();
    if (!values.stream().allMatch(Setting::isLong)) {
      throw section.wrong(Setting.TOO_SHORT);
    }
    return values;
  }

  private static Encoding encoding(YamlSection section) {
    return switch (section.text().orElse("hex").toLowerCase(Locale.ROOT)) {
      case "hex" -> Encoding.HEX;
      case "base64" -> Encoding.BASE64;
      default -> throw section.wrong("must be hex or base64");
    };
  }

  private static HookPrompt prompt(YamlSection section) {
    var template = section.at("template");
    var prompt = section.at("prompt");
    if (template.text().isPresent() == prompt.text().isPresent()) {
      throw section.wrong(
          "needs either a template (your words, with data like {/alert/name} between them) or a"
              + " prompt (the place of the whole prompt in the body)");
    }
    return template
        .text()
        .<HookPrompt>map(text -> template.read(() -> HookPrompt.Template.parse(text)))
        .orElseGet(() -> new HookPrompt.Place(bodyPlace(prompt).orElseThrow()));
  }

  private static List<Condition> conditions(YamlSection section) {
    var demand = "must hold values by their places, like /action: failed";
    var byPlace = new LinkedHashMap<String, List<String>>();
    section.entries(demand).forEach((place, values) -> byPlace.put(place, values.oneOrMore()));
    if (byPlace.isEmpty() && !section.isAbsent()) {
      throw section.wrong(demand);
    }
    return section.read(() -> Hook.conditions(byPlace));
  }

  private static Optional<URI> callback(YamlSection section) {
    return section
        .text()
        .map(
            text ->
                section.read(
                    () -> {
                      var address = URI.create(text);
                      if (address.getHost() == null
                          || !List.of("http", "https")
                              .contains(String.valueOf(address.getScheme()))) {
                        throw new IllegalArgumentException("needs a web address");
                      }
                      return address;
                    }));
  }

  /// A place in the body of a delivery.
  private static Optional<JsonPointer> bodyPlace(YamlSection section) {
    return section.text().map(text -> section.read(() -> Hook.place(text)));
  }
}
