package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.StringEntry;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// What the manifest subscribes to, offers and names is what the compiled code knows by name, and
/// the reverse. [ManifestTest] does the same for scopes.
class ManifestAndCodeTest {
  /// Slack's names of events that an app can be sent, of which some are plain words; `message.im`
  /// and its like come as `message`.
  private static final Set<String> EVENTS =
      Set.of(
          "agent_session_stopped",
          "app_context_changed",
          "app_home_opened",
          "app_mention",
          "app_uninstalled",
          "assistant_thread_context_changed",
          "assistant_thread_started",
          "channel_archive",
          "channel_created",
          "channel_deleted",
          "channel_left",
          "channel_rename",
          "emoji_changed",
          "file_change",
          "file_created",
          "file_deleted",
          "file_shared",
          "function_executed",
          "group_left",
          "link_shared",
          "member_joined_channel",
          "member_left_channel",
          "message",
          "message_metadata_posted",
          "pin_added",
          "pin_removed",
          "reaction_added",
          "reaction_removed",
          "star_added",
          "subteam_members_changed",
          "team_join",
          "tokens_revoked",
          "user_change",
          "workflow_step_execute");

  private static final Set<String> CONVERSATIONS =
      Set.of("message.channels", "message.groups", "message.im", "message.mpim");

  private final JsonNode manifest;
  private final Set<String> constants;

  ManifestAndCodeTest() throws IOException, URISyntaxException {
    manifest = new YAMLMapper().readTree(Path.of("manifest.yml").toFile());
    constants = constants();
  }

  @Test
  void theEventsThatTheCodeKnowsAreThoseThatAreSubscribedTo() {
    var subscribed = texts(manifest.at("/settings/event_subscriptions/bot_events"));

    assertThat(subscribed).containsAll(CONVERSATIONS);
    assertThat(EVENTS).containsAll(asSent(subscribed));
    assertThat(constants.stream().filter(EVENTS::contains))
        .containsExactlyInAnyOrderElementsOf(asSent(subscribed));
  }

  @Test
  void theCommandThatTheCodeNamesIsTheOneThatIsOffered() {
    assertThat(constants.stream().filter(it -> it.matches("/[a-z]+")).filter(it -> !isPath(it)))
        .containsExactlyInAnyOrderElementsOf(
            texts(manifest.at("/features/slash_commands"), "command"));
  }

  @Test
  void theShortcutsThatAreOfferedAreKnown() {
    assertThat(constants).containsAll(texts(manifest.at("/features/shortcuts"), "callback_id"));
  }

  private static boolean isPath(String constant) {
    return constant.equals(SlackSurface.PATH) || constant.equals("/install");
  }

  private static Set<String> asSent(Set<String> events) {
    return events.stream()
        .map(it -> CONVERSATIONS.contains(it) ? "message" : it)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<String> texts(JsonNode array, String field) {
    return StreamSupport.stream(array.spliterator(), false)
        .map(it -> it.path(field).asText())
        .toList();
  }

  /// All texts in the classes of the Slack surface.
  private static Set<String> constants() throws IOException, URISyntaxException {
    var surface = SlackSurface.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    var folder = Path.of(surface).resolve(SlackSurface.class.getPackageName().replace('.', '/'));
    try (var classes = Files.list(folder)) {
      return classes
          .filter(it -> it.toString().endsWith(".class"))
          .flatMap(ManifestAndCodeTest::strings)
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Stream<String> strings(Path compiled) {
    try {
      var pool = ClassFile.of().parse(compiled).constantPool();
      return StreamSupport.stream(pool.spliterator(), false)
          .filter(StringEntry.class::isInstance)
          .map(it -> ((StringEntry) it).stringValue());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
