package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.slack.api.methods.MethodsClient;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
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
      Map.of(
          "authTest", List.of(),
          "chatPostMessage", List.of("chat:write"),
          "chatUpdate", List.of("chat:write"),
          "chatPostEphemeral", List.of("chat:write"),
          "reactionsAdd", List.of("reactions:write"),
          "reactionsRemove", List.of("reactions:write"),
          "conversationsReplies", HISTORY,
          "conversationsHistory", HISTORY,
          "usersInfo", List.of("users:read"));

  private static final Map<String, String> BY_EVENT =
      Map.of(
          "app_mention", "app_mentions:read",
          "message.channels", "channels:history",
          "message.groups", "groups:history",
          "message.im", "im:history",
          "message.mpim", "mpim:history",
          "reaction_added", "reactions:read");

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
    assertThat(BY_METHOD.keySet()).containsExactlyInAnyOrderElementsOf(methods);

    var events = texts(manifest.at("/settings/event_subscriptions/bot_events"));
    var needed =
        methods.stream()
            .flatMap(it -> BY_METHOD.getOrDefault(it, List.of("unknown method " + it)).stream())
            .collect(Collectors.toSet());
    events.forEach(it -> needed.add(BY_EVENT.getOrDefault(it, "unknown event " + it)));
    needed.add("commands");

    assertThat(texts(manifest.at("/oauth_config/scopes/bot")))
        .containsExactlyInAnyOrderElementsOf(needed);
  }

  @Test
  void everyEventThatCarriesWordsIsSubscribedTo() {
    assertThat(texts(manifest.at("/settings/event_subscriptions/bot_events")))
        .containsExactlyInAnyOrderElementsOf(BY_EVENT.keySet());
  }

  @Test
  void everythingComesToTheOneAddress() {
    assertThat(
            List.of(
                manifest.at("/features/slash_commands/0/url").asText(),
                manifest.at("/settings/event_subscriptions/request_url").asText(),
                manifest.at("/settings/interactivity/request_url").asText()))
        .containsOnly("https://runnel.example.com" + SlackSurface.PATH);
    assertThat(manifest.at("/features/slash_commands/0/command").asText())
        .isEqualTo(SlackRequests.CONFIG.command());
  }
}
