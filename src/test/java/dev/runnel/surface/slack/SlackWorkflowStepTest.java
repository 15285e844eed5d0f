package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackStep;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The step of Slack's Workflow Builder that starts a run.
class SlackWorkflowStepTest {
  private static final String COMPLETED = "functions.completeSuccess";
  private static final String FAILED = "functions.completeError";
  private static final String PUBLIC = "{'ok':true,'channel':{'id':'C0DEV','is_member':true}}";

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface =
      SlackSurfaces.of(slack.config(), InstantSource.fixed(SlackRequests.NOW));

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private WebhookResult executed(String callback, String inputs) {
    return surface.receive(
        SlackRequests.signed(
            ("{'type':'event_callback','team_id':'T0ACME','event_id':'Ev1','event':{"
                    + "'type':'function_executed','function':{'callback_id':'"
                    + callback
                    + "'},'inputs':"
                    + inputs
                    + ",'function_execution_id':'Fx1','event_ts':'1795240915.000001'}}")
                .replace('\'', '"')));
  }

  private Delivery started(String inputs) {
    return ((WebhookResult.Accepted) executed("start_run", inputs)).delivery();
  }

  private Delivery opened(String inputs) {
    var delivery = started(inputs);
    var opened = (Posting.Posted) surface.threads().open(delivery, false);
    return delivery.movedTo(opened.conversation(), Optional.empty());
  }

  private static Notice notice(Delivery delivery, Update update, int tries) {
    return new Notice(
        new NoticeId("n1"),
        delivery.conversation(),
        update,
        delivery.origin(),
        delivery.arrivedAt(),
        tries);
  }

  private static Update succeeded() {
    return SlackUpdates.succeeded("It was the cache");
  }

  private static Update told(Delivery delivery) {
    return new Update.Message(delivery.actor(), "No policy permits this.", true);
  }

  @Test
  void aStepStartsARunOfTheWorkflowsOfItsChannel() {
    var delivery =
        started("{'request':'fix &lt;it&gt; --model fast','channel':'C0DEV','profile':'web'}");

    assertThat(delivery.actor()).isEqualTo(SlackStep.requester("C0DEV"));
    assertThat(delivery.intent())
        .isInstanceOfSatisfying(
            Intent.Start.class,
            start -> {
              assertThat(start.request().text()).isEqualTo("fix <it>");
              assertThat(start.request().options().profile()).contains("web");
              assertThat(start.request().options().model()).contains("fast");
            });
    assertThat(SlackPlace.of(delivery.conversation()).channel()).isEqualTo("C0DEV");
    assertThat(delivery.origin().opensThread()).isTrue();
  }

  @Test
  void aStepMayReportInAThreadOfItsChannel() {
    var link = "https://acme.slack.com/archives/C0DEV/p1795240000000100";

    assertThat(
            started("{'request':'fix it','channel':'C0DEV','thread':'" + link + "'}")
                .conversation())
        .isEqualTo(new SlackPlace("T0ACME", "C0DEV", "1795240000.000100").conversation());
    for (var other : List.of(link.replace("C0DEV", "C0OPS"), "somewhere", "%")) {
      assertThat(
              started("{'request':'fix it','channel':'C0DEV','thread':'" + other + "'}").intent())
          .isInstanceOf(Intent.Unclear.class);
    }
  }

  @Test
  void otherStepsAndStepsWithoutAChannelStartNoRun() {
    assertThat(executed("other", "{'request':'fix it','channel':'C0DEV'}"))
        .isInstanceOf(WebhookResult.Answered.class);
    assertThat(executed("start_run", "{'request':'fix it'}"))
        .isInstanceOf(WebhookResult.Answered.class);
    assertThat(executed("start_run", "[]")).isInstanceOf(WebhookResult.Answered.class);
  }

  /// Else one step could act as the workflows of many channels, each with budgets of its own, or
  /// write to a person.
  @ParameterizedTest
  @ValueSource(strings = {"C0DEV/1", "C0DEV/1/~Fx2", "U0ANN", "D0ANN", "general", "C0:DEV"})
  void invalidChannelStartsNoRun(String channel) {
    assertThat(executed("start_run", "{'request':'fix it','channel':'" + channel + "'}"))
        .isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void onlyAPolicyPermitsWorkflows() {
    var delivery = started("{'request':'fix it','channel':'C0DEV'}");

    assertThat(surface.senders().admit(delivery)).isInstanceOf(Admission.Outsider.class);
    assertThat(surface.senders().names(delivery))
        .contains(Set.of("slack:workflow", "slack:workflow:C0DEV"));
    assertThat(slack.calls("users.info")).isEmpty();
  }

  @Test
  void theEndOfTheRunEndsTheStepWithItsAnswer() {
    var delivery = opened("{'request':'fix it','channel':'C0DEV'}");
    slack.says("conversations.info", PUBLIC);

    assertThat(surface.post(notice(delivery, succeeded(), 0), null))
        .isInstanceOf(Posting.Posted.class);

    assertThat(slack.calls(COMPLETED))
        .singleElement()
        .satisfies(
            call -> {
              assertThat(call.field("function_execution_id")).isEqualTo("Fx1");
              assertThat(call.field("outputs"))
                  .contains("\"outcome\":\"succeeded\"", "\"answer\":\"It was the cache\"")
                  .contains("acme.slack.com/archives/C0DEV/p");
            });
  }

  @Test
  void answerIsNotPassedOnFromAPrivateChannel() {
    var delivery = opened("{'request':'fix it','channel':'C0DEV'}");
    slack.says(
        "conversations.info", PUBLIC.replace("'is_member'", "'is_private':true,'is_member'"));

    surface.post(notice(delivery, succeeded(), 0), null);

    assertThat(slack.calls(COMPLETED).getFirst().field("outputs")).contains("\"answer\":\"\"");
  }

  @Test
  void failureReasonIsNotPassedOnFromAPrivateChannel() {
    var delivery = opened("{'request':'fix it','channel':'C0DEV'}");
    slack.says(
        "conversations.info", PUBLIC.replace("'is_member'", "'is_private':true,'is_member'"));
    var run = SlackUpdates.succeeded("").run();

    surface.post(
        notice(delivery, new Update.Failed(run, SlackUpdates.ANN, "No customer Acme", false), 0),
        null);

    assertThat(slack.calls(COMPLETED).getFirst().field("outputs"))
        .contains("\"outcome\":\"failed\"", "\"answer\":\"\"");
  }

  @Test
  void rateLimitedEndOfAStepIsReportedAgain() {
    var delivery = opened("{'request':'fix it','channel':'C0DEV'}");
    slack.says(COMPLETED, ScriptedSlack.rateLimited("30"));

    assertThat(surface.post(notice(delivery, succeeded(), 0), null))
        .isInstanceOf(Posting.Later.class);
    slack.refuses(COMPLETED, "execution_not_in_running_state");
    assertThat(surface.post(notice(delivery, succeeded(), 1), null))
        .isInstanceOf(Posting.Posted.class);
  }

  @Test
  void aRefusalFailsTheStepAndIsNotPosted() {
    var delivery = started("{'request':'fix it','channel':'C0DEV'}");

    assertThat(surface.post(notice(delivery, told(delivery), 0), null))
        .isInstanceOf(Posting.Posted.class);

    assertThat(slack.calls(FAILED))
        .singleElement()
        .satisfies(call -> assertThat(call.field("error")).isEqualTo("No policy permits this."));
    assertThat(slack.calls("chat.postEphemeral")).isEmpty();
    assertThat(slack.calls("chat.postMessage")).isEmpty();
  }

  @Test
  void exampleManifestOfTheStepMatchesTheCode() throws IOException {
    var manifest = new YAMLMapper().readTree(Path.of("examples/slack-workflow-step.yaml").toFile());
    var step = manifest.at("/functions/" + SlackStep.CALLBACK);

    assertThat(names(step.path("input_parameters")))
        .containsExactlyInAnyOrder("request", "channel", "thread", "profile");
    assertThat(names(step.path("output_parameters")))
        .containsExactlyInAnyOrder("link", "outcome", "answer");
    assertThat(manifest.at("/settings/event_subscriptions/bot_events/0").asText())
        .isEqualTo("function_executed");
  }

  private static Set<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet());
  }

  @Test
  void stepWithoutARequestIsUnclear() {
    assertThat(started("{'request':' ','channel':'C0DEV'}").intent())
        .isEqualTo(new Intent.Unclear("`request` is empty."));
  }
}
