package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.surface.slack.model.SlackConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.StringEntry;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// What the manifest subscribes to, offers and names is what the compiled code knows by name, and
/// the reverse. [dev.runnel.surface.slack.receive.ManifestTest] does the same for scopes.
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

  /// Of the assistant view, which an app that was made from an earlier manifest may have.
  private static final Set<String> OF_EARLIER_APPS =
      Set.of("assistant_thread_started", "assistant_thread_context_changed");

  /// Of the step for Slack's Workflow Builder, which operators add to the manifest.
  private static final String OF_STEPS = "function_executed";

  /// What the methods need that the SDK may not know yet, and that are called by their names.
  private static final Map<String, Optional<String>> SCOPES_BY_NAME =
      Map.ofEntries(
          Map.entry("agents.sessions.rename", Optional.of("chat:write")),
          Map.entry("agents.sessions.setStatus", Optional.of("chat:write")),
          Map.entry("assistant.threads.setStatus", Optional.of("assistant:write")),
          Map.entry("assistant.threads.setSuggestedPrompts", Optional.of("assistant:write")),
          Map.entry("assistant.threads.setTitle", Optional.of("assistant:write")),
          Map.entry("chat.appendStream", Optional.of("chat:write")),
          Map.entry("chat.startStream", Optional.of("chat:write")),
          Map.entry("chat.stopStream", Optional.of("chat:write")),
          Map.entry("conversations.replies", Optional.of("channels:history")),
          Map.entry("views.open", Optional.empty()),
          Map.entry("views.publish", Optional.empty()),
          Map.entry("views.push", Optional.empty()),
          Map.entry("views.update", Optional.empty()));

  private static final Pattern METHOD =
      Pattern.compile(
          "(agents|apps|assistant|auth|bots|canvases|chat|conversations|files|pins|reactions|search"
              + "|team|usergroups|users|views)(\\.[a-zA-Z]+)+");

  private static final Set<String> CONVERSATIONS =
      Set.of("message.channels", "message.groups", "message.im", "message.mpim");

  private final JsonNode manifest;
  private final Set<String> constants;

  ManifestAndCodeTest() throws IOException, URISyntaxException {
    manifest = new YAMLMapper().readTree(Path.of("manifest.yml").toFile());
    constants = constants();
  }

  @Test
  void subscribedEventsEqualThoseKnownToTheCode() {
    var subscribed = texts(manifest.at("/settings/event_subscriptions/bot_events"));

    assertThat(subscribed).containsAll(CONVERSATIONS);
    assertThat(EVENTS).containsAll(asSent(subscribed));
    assertThat(
            constants.stream()
                .filter(EVENTS::contains)
                .filter(it -> !it.equals(OF_STEPS))
                .filter(it -> !OF_EARLIER_APPS.contains(it) || subscribed.contains(it)))
        .containsExactlyInAnyOrderElementsOf(asSent(subscribed));
  }

  @Test
  void commandInTextsIsTheCommandOfTheManifest() {
    assertThat(texts(manifest.at("/features/slash_commands"), "command"))
        .containsExactly(SlackConfig.COMMAND);
  }

  @Test
  void everyCalledMethodHasItsScopeInTheManifest() {
    var called = constants.stream().filter(it -> METHOD.matcher(it).matches()).toList();

    assertThat(SCOPES_BY_NAME.keySet()).containsAll(called);
    assertThat(texts(manifest.at("/oauth_config/scopes/bot")))
        .containsAll(
            called.stream()
                .flatMap(it -> SCOPES_BY_NAME.getOrDefault(it, Optional.empty()).stream())
                .toList());
  }

  @Test
  void everyShortcutOfTheManifestIsKnownToTheCode() {
    assertThat(constants).containsAll(texts(manifest.at("/features/shortcuts"), "callback_id"));
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
    try (var classes = Files.walk(folder)) {
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
