package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.testkit.SlackManifestRules;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The app manifest as it lies there: Slack takes it, once the address is filled in.
class ManifestRulesTest {
  private static final String PLACEHOLDER = "https://runnel.example.com";
  private static final Pattern TO_FILL_IN =
      Pattern.compile("(?i)example|todo|fixme|xxx|<[^>]*>|\\$\\{|\\bchange\\b|\\byour\\b|\\bmy-");

  private final YAMLMapper yaml = new YAMLMapper();
  private final JsonNode manifest;

  ManifestRulesTest() throws IOException {
    manifest = yaml.readTree(Path.of("manifest.yml").toFile());
  }

  @Test
  void theManifestKeepsToThePublishedSchema() {
    assertThat(SlackManifestRules.broken(manifest)).isEmpty();
  }

  @Test
  void addressIsTheOnlyPlaceholderInTheManifest() {
    assertThat(texts(manifest).filter(it -> it.contains(PLACEHOLDER)))
        .hasSize(4)
        .allMatch(it -> it.startsWith(PLACEHOLDER + "/slack/"));
    assertThat(texts(manifest).map(it -> it.replace(PLACEHOLDER, "")))
        .noneMatch(it -> TO_FILL_IN.matcher(it).find());
  }

  /// The rules themselves, each broken once.
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          /display_information/name, "", 1 to 35 characters
          /display_information/name, "A name that is a little longer than Slack has room for", 1 to 35 characters
          /display_information/background_color, "green", of the form
          /display_information/colour, "#123", unknown
          /features/bot_user/display_name, "The Agent", of the form
          /features/bot_user/always_online, "yes", true or false
          /features/slash_commands/0/command, "agent", of the form
          /features/slash_commands/0/description, 7, a text
          /features/slash_commands, "none", a list
          /oauth_config/scopes/bot/0, "chat:write", each once
          /settings/event_subscriptions/bot_events, {}, a list
          /settings/interactivity, {}, missing
          /settings/interactivity/request_url, "runnel", of the form
          /_metadata/major_version, 1.5, a whole number
          /settings/hosted, true, unknown
          """,
      quoteCharacter = '\'')
  void invalidManifestValueIsFound(String where, String value, String words) throws Exception {
    var pointer = JsonPointer.compile(where);
    var holder = manifest.at(pointer.head());
    var spoiled = yaml.readTree(value);
    if (holder instanceof ObjectNode object) {
      object.set(pointer.last().getMatchingProperty(), spoiled);
    } else {
      ((ArrayNode) holder).set(pointer.last().getMatchingIndex(), spoiled);
    }

    assertThat(SlackManifestRules.broken(manifest)).singleElement().asString().contains(words);
  }

  @Test
  void missingManifestMemberIsFound() {
    ((ObjectNode) manifest).remove("display_information");

    assertThat(SlackManifestRules.broken(manifest))
        .isEqualTo(List.of("/display_information: missing"));
  }

  private static Stream<String> texts(JsonNode node) {
    return node.isTextual()
        ? Stream.of(node.textValue())
        : StreamSupport.stream(node.spliterator(), false).flatMap(ManifestRulesTest::texts);
  }
}
