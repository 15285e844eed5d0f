package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.slack.api.methods.MethodsClient;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.runnel.surface.slack.api.SlackAgentApi;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.install.SlackInstaller;
import dev.runnel.surface.slack.install.SlackScopes;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPrompts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/// The app manifest asks for what the code needs, and for no more.
class ManifestTest {
  private static final List<String> HISTORY =
      List.of("channels:history", "groups:history", "im:history", "mpim:history");

  /// What each method of the Web API needs, by its name in the SDK.
  private static final Map<String, List<String>> BY_METHOD =
      Map.ofEntries(
          Map.entry("conversationsReplies", HISTORY),
          Map.entry("conversationsHistory", HISTORY),
          // By an app-level token, with a scope of its own: appsConnectionsOpen. By the app's id
          // and secret: oauthV2Access.

          Map.entry("authTest", List.of()),
          Map.entry("appsConnectionsOpen", List.of()),
          Map.entry("oauthV2Access", List.of()),
          Map.entry("chatPostMessage", List.of("chat:write")),
          Map.entry("chatUpdate", List.of("chat:write")),
          Map.entry("chatPostEphemeral", List.of("chat:write")),
          Map.entry("reactionsAdd", List.of("reactions:write")),
          Map.entry("reactionsRemove", List.of("reactions:write")),
          Map.entry("conversationsInfo", List.of("channels:read", "groups:read")),
          Map.entry("conversationsMembers", List.of("channels:read", "groups:read")),
          Map.entry("usersInfo", List.of("users:read")),
          Map.entry("usergroupsUsersList", List.of("usergroups:read")),
          Map.entry("functionsCompleteSuccess", List.of()),
          Map.entry("functionsCompleteError", List.of()),
          Map.entry("viewsOpen", List.of()),
          Map.entry("viewsPublish", List.of()),
          // Methods of the agent view, by their own names: below.
          Map.entry("runPostFormWithToken", List.of()));

  private static final Map<String, List<String>> BY_AGENT_METHOD =
      Map.of(
          SlackAgentApi.SET_SESSION, List.of("chat:write"),
          SlackAgentApi.SET_LINE, List.of("chat:write"),
          SlackAgentApi.SET_TITLE, List.of("assistant:write"),
          SlackAgentApi.SET_PROMPTS, List.of("assistant:write"),
          SlackAgentApi.START, List.of("chat:write"),
          SlackAgentApi.APPEND, List.of("chat:write"),
          SlackAgentApi.STOP, List.of("chat:write"),
          SlackAgentApi.REPLIES, HISTORY);

  private static final Map<String, List<String>> BY_FILE_METHOD =
      Map.of(
          "filesGetUploadURLExternal", List.of("files:write"),
          "filesCompleteUploadExternal", List.of("files:write"));

  private static final Map<String, String> BY_EVENT =
      Map.of(
          "app_mention", "app_mentions:read",
          "message.channels", "channels:history",
          "message.groups", "groups:history",
          "message.im", "im:history",
          "message.mpim", "mpim:history",
          "reaction_added", "reactions:read");

  /// About the app itself; they need no scope.
  private static final Set<String> OF_THE_APP =
      Set.of(
          "app_uninstalled",
          "tokens_revoked",
          SlackEvent.HOME,
          SlackEvent.STOPPED,
          SlackEvent.CONTEXT);

  /// Slack lets only apps of the earlier kind, with `assistant_view`, subscribe to them.
  private static final Set<String> OF_EARLIER_APPS =
      Set.of(SlackEvent.STARTED, SlackEvent.CONTEXT_OF_THREAD);

  private final JsonNode manifest;

  ManifestTest() throws IOException {
    manifest = new YAMLMapper().readTree(Path.of("manifest.yml").toFile());
  }

  private static Set<String> texts(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false)
        .map(JsonNode::asText)
        .collect(Collectors.toSet());
  }

  private static Set<String> methodsTheCodeCalls() {
    return new ClassFileImporter()
        .importPackagesOf(SlackApi.class).stream()
            .flatMap(it -> it.getMethodCallsFromSelf().stream())
            .filter(it -> it.getTargetOwner().isEquivalentTo(MethodsClient.class))
            .map(JavaMethodCall::getName)
            .collect(Collectors.toSet());
  }

  @Test
  void everyMethodTheCodeCallsHasItsScopesAndNoScopeIsUnused() {
    var methods = methodsTheCodeCalls();
    var scopes = new HashMap<>(BY_METHOD);
    scopes.putAll(BY_FILE_METHOD);
    assertThat(scopes.keySet()).containsExactlyInAnyOrderElementsOf(methods);

    var events = texts(manifest.at("/settings/event_subscriptions/bot_events"));
    var needed =
        methods.stream()
            .flatMap(it -> scopes.getOrDefault(it, List.of("unknown method " + it)).stream())
            .collect(Collectors.toSet());
    events.stream()
        .filter(it -> !OF_THE_APP.contains(it))
        .forEach(it -> needed.add(BY_EVENT.getOrDefault(it, "unknown event " + it)));
    assertThat(BY_AGENT_METHOD.keySet()).containsExactlyInAnyOrderElementsOf(SlackAgentApi.METHODS);
    BY_AGENT_METHOD.values().forEach(needed::addAll);
    needed.add("commands");
    // The bytes of shared files, which are no method's.
    needed.add("files:read");

    assertThat(texts(manifest.at("/oauth_config/scopes/bot")))
        .containsExactlyInAnyOrderElementsOf(needed);
  }

  @Test
  void everyScopeIsExplained() throws IOException {
    var page = Files.readString(Path.of("docs/slack.md"));
    assertThat(texts(manifest.at("/oauth_config/scopes/bot")))
        .allMatch(scope -> page.contains("`" + scope + "`"));
  }

  @Test
  void everyEventThatIsReadIsSubscribedTo() {
    var all = new HashSet<>(OF_THE_APP);
    all.addAll(BY_EVENT.keySet());
    assertThat(texts(manifest.at("/settings/event_subscriptions/bot_events")))
        .containsExactlyInAnyOrderElementsOf(all);
  }

  @Test
  void manifestSubscribesToNoEventOfEarlierApps() {
    assertThat(texts(manifest.at("/settings/event_subscriptions/bot_events")))
        .doesNotContainAnyElementsOf(OF_EARLIER_APPS);
    assertThat(manifest.at("/features/assistant_view").isMissingNode()).isTrue();
  }

  @Test
  void theAgentViewOffersTheUsualPrompts() {
    assertThat(
            StreamSupport.stream(
                    manifest.at("/features/agent_view/suggested_prompts").spliterator(), false)
                .map(
                    each ->
                        new SlackPrompts.Prompt(
                            each.path("title").asText(), each.path("message").asText())))
        .containsExactlyElementsOf(SlackPrompts.DEFAULT.all());
  }

  @Test
  void installationRequestsTheSameScopesAndReturnsToUs() {
    assertThat(SlackScopes.needed())
        .containsExactlyInAnyOrderElementsOf(texts(manifest.at("/oauth_config/scopes/bot")));
    assertThat(texts(manifest.at("/oauth_config/redirect_urls")))
        .containsExactly("https://runnel.example.com" + SlackInstaller.REDIRECT);
  }

  @Test
  void manifestContainsExactlyTheSupportedShortcuts() {
    var shortcuts = manifest.at("/features/shortcuts");

    assertThat(
            StreamSupport.stream(shortcuts.spliterator(), false)
                .map(it -> it.path("type").asText() + " " + it.path("callback_id").asText()))
        .containsExactlyInAnyOrder(
            "message " + SlackEntryPoints.ASK_ABOUT_MESSAGE,
            "global " + SlackEntryPoints.ASK_AGENT);
    for (var shortcut : shortcuts) {
      assertThat(shortcut.path("name").asText()).hasSizeBetween(1, 24);
      assertThat(shortcut.path("description").asText()).hasSizeBetween(1, 150);
    }
    // Without it Slack sends no shortcut, button or form.
    assertThat(manifest.at("/settings/interactivity/is_enabled").asBoolean()).isTrue();
  }

  @Test
  void manifestEnablesTheHomeTab() {
    assertThat(manifest.at("/features/app_home/home_tab_enabled").asBoolean()).isTrue();
  }

  @Test
  void allManifestUrlsAreTheSameAddress() {
    assertThat(
            List.of(
                manifest.at("/features/slash_commands/0/url").asText(),
                manifest.at("/settings/event_subscriptions/request_url").asText(),
                manifest.at("/settings/interactivity/request_url").asText()))
        .containsOnly("https://runnel.example.com" + SlackConfig.EVENTS_PATH);
    assertThat(manifest.at("/features/slash_commands/0/command").asText())
        .isEqualTo(SlackConfig.COMMAND);
  }
}
