package dev.runnel.wire;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.client.ClientJson;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The resources around runs: what is read of them, and what is sent.
public class NeighboursJsonTest {
  static Stream<Arguments> resources() {
    return Stream.of(
        Arguments.of("skills#/agents/0", Skill.class),
        Arguments.of("environments#/environments/0", CloudEnvironment.class),
        Arguments.of("models", ModelList.class),
        Arguments.of("identity", Identity.class),
        Arguments.of("schedule", Schedule.class),
        Arguments.of("artifact-content", ArtifactContent.class),
        Arguments.of("conversation", Conversation.class),
        Arguments.of("timeline#/events/0", TimelineEvent.class),
        Arguments.of("harness-usage", HarnessUsage.class),
        Arguments.of("conversation-follow-up-accepted", ConversationFollowUpAccepted.class),
        Arguments.of("handoff-attachments#/attachments/0", HandoffAttachment.class),
        Arguments.of("workers#/workers/0", Worker.class),
        Arguments.of("factory", Factory.class),
        Arguments.of("factory-page", FactoryPage.class),
        Arguments.of("dispatched-run", DispatchedRun.class),
        Arguments.of("create-identity", CreateIdentity.class),
        Arguments.of("update-identity", UpdateIdentity.class),
        Arguments.of("create-schedule", CreateSchedule.class),
        Arguments.of("update-schedule", UpdateSchedule.class),
        Arguments.of("dispatch-run", DispatchRun.class));
  }

  @ParameterizedTest
  @MethodSource("resources")
  public void everyMemberHasAComponent(String name, Class<?> type) throws Exception {
    Golden.isFull(
        (Record) Golden.read(name, type),
        "mcpServers.",
        "agentConfig.",
        "environment.",
        "createdBy.",
        "updatedBy.",
        "steps[].",
        "factories[].",
        "pageInfo.");
  }

  @ParameterizedTest
  @MethodSource("resources")
  public void everyResourceSurvivesARoundTrip(String name, Class<?> type) throws Exception {
    Golden.isLossless(name, type);
  }

  @ParameterizedTest
  @MethodSource("resources")
  public void aMemberThatCannotBeReadCountsAsAbsentUnlessReadStrictly(String name, Class<?> type)
      throws Exception {
    Golden.oddMembersCountAsAbsent(name, type);
  }

  /// Together with the above: no two members can be exchanged.
  @ParameterizedTest
  @ValueSource(
      classes = {
        Skill.class,
        SkillVariant.class,
        SkillSource.class,
        EnvironmentName.class,
        CloudEnvironment.class,
        CloudEnvironmentConfig.class,
        GitHubRepo.class,
        LastTask.class,
        Scope.class,
        UserInfo.class,
        ModelList.class,
        Model.class,
        Identity.class,
        Schedule.class,
        ScheduleHistory.class,
        ArtifactContent.class,
        ArtifactData.class,
        Conversation.class,
        ConversationStep.class,
        ConversationMessage.class,
        ConversationContent.class,
        TimelineEvent.class,
        HarnessUsage.class,
        HandoffAttachment.class,
        Worker.class,
        Factory.class,
        FactoryPage.class,
        DispatchedRun.class,
        Deleted.class,
        SessionRedirect.class,
        ConversationRedirect.class
      })
  public void componentsAreNamedAfterTheirJsonMembers(Class<?> type) {
    var renamed =
        Map.of(
            "CloudEnvironment.lastTaskRunAt", "last_task_run_timestamp",
            "CloudEnvironmentConfig.repositories", "github_repos",
            "SkillVariant.lastRunAt", "last_run_timestamp");
    for (var component : type.getRecordComponents()) {
      var property = component.getAccessor().getAnnotation(JsonProperty.class);
      if (property != null) {
        var member = component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
        assertThat(property.value())
            .isEqualTo(
                renamed.getOrDefault(type.getSimpleName() + "." + component.getName(), member));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "identity, uid",
    "schedule, id",
    "factory, uid",
    "dispatched-run, run_id",
    "dispatched-run, state",
    "models#/models/0, id",
    "environments#/environments/0, uid"
  })
  public void objectWithoutItsIdIsRejected(String name, String member) throws IOException {
    var type =
        Map.of(
            "identity", Identity.class,
            "schedule", Schedule.class,
            "factory", Factory.class,
            "dispatched-run", DispatchedRun.class,
            "models#/models/0", Model.class,
            "environments#/environments/0", CloudEnvironment.class);
    var json = (ObjectNode) Golden.tree(name);
    json.remove(member);

    assertThatThrownBy(() -> ClientJson.lenient(json, requireNonNull(type.get(name))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(member);
  }

  @Test
  public void skillHasItsSourceAndLastRun() throws Exception {
    var skill = Golden.read("skills#/agents/0", Skill.class);

    assertThat(skill.variants())
        .satisfiesExactly(
            variant -> {
              assertThat(variant.lastRunAt()).isEqualTo("2026-01-04T03:00:00Z");
              assertThat(variant.source())
                  .isEqualTo(
                      new SkillSource(
                          "team",
                          "app",
                          ".agents/skills/fix-tests/SKILL.md",
                          "worker-1",
                          Map.of("ref", Golden.tree("skills").findPath("ref"))));
              assertThat(variant.environments())
                  .extracting(EnvironmentName::uid)
                  .containsExactly("e-1");
            });
  }

  @Test
  public void aConversationIsNestedAndHasFourRolesAndContents() throws Exception {
    var step = Golden.read("conversation", Conversation.class).steps().getFirst();

    assertThat(step.messages())
        .extracting(ConversationMessage::role)
        .containsExactly(
            MessageRole.SYSTEM, MessageRole.USER, MessageRole.ASSISTANT, MessageRole.TOOL);
    assertThat(step.messages())
        .flatExtracting(ConversationMessage::content)
        .extracting(ConversationContent::type)
        .containsExactly("event", "text", "action", "action_result");
    var contents = step.messages().stream().map(it -> it.content().getFirst()).toList();
    assertThat(contents.get(0))
        .isEqualTo(
            ConversationContent.event(
                "session_started", ClientJson.tree("{\"kind\":\"started\"}")));
    assertThat(contents.get(1).text()).isEqualTo("Fix it");
    assertThat(contents.get(1).messageId()).isEqualTo("m-1");
    assertThat(contents.get(2).input()).isEqualTo(ClientJson.tree("{\"command\":\"npm test\"}"));
    assertThat(contents.get(2).id()).isEqualTo("a-1");
    assertThat(contents.get(3))
        .isEqualTo(
            ConversationContent.actionResult(
                "a-1",
                "run_command",
                ActionCategory.COMMAND,
                ClientJson.tree("{\"exit_code\":1}"),
                ActionState.FAILED));
    assertThat(step.steps()).extracting(ConversationStep::id).containsExactly("1.1");
  }

  @Test
  public void conversationStepHasDescriptionSummaryAndTimes() throws Exception {
    var step = Golden.read("conversation", Conversation.class).steps().getFirst();

    assertThat(step.description()).isEqualTo("Fix the flaky test");
    assertThat(step.summary()).isEqualTo("The test waits for the clock");
    assertThat(step.startedAt()).isEqualTo("2026-01-05T09:00:20Z");
    assertThat(step.completedAt()).isEqualTo("2026-01-05T09:04:30Z");
    var message = step.messages().get(1);
    assertThat(message.messageIds()).containsExactly("m-1");
    assertThat(message.requestId()).isEqualTo("q-1");
    assertThat(message.timestamp()).isEqualTo("2026-01-05T09:00:20Z");
  }

  @Test
  public void conversationContentIsWrittenAsAFlatObject() throws Exception {
    assertThat(ClientJson.tree(ConversationContent.text("Fix it")))
        .isEqualTo(ClientJson.tree("{\"type\":\"text\",\"text\":\"Fix it\"}"));
    assertThat(
            ClientJson.tree(
                ConversationContent.action(
                    "a-1",
                    "run_command",
                    ActionCategory.COMMAND,
                    ClientJson.tree("{\"command\":\"ls\"}"))))
        .isEqualTo(
            ClientJson.tree(
                """
                {"type": "action", "id": "a-1", "name": "run_command", "category": "command",
                 "input": {"command": "ls"}}
                """));
  }

  @Test
  public void anEventOfATimelineHasItsTypeAndExecution() throws Exception {
    var event = Golden.read("timeline#/events/0", TimelineEvent.class);

    assertThat(event.eventType()).isEqualTo(TimelineEventType.OZ_RUN_CLAIMED);
    assertThat(event.executionId()).isEqualTo(1);
  }

  @Test
  public void aFactoryHasItsForgesAndScoring() throws Exception {
    var factory = Golden.read("factory", Factory.class);

    assertThat(factory.avatarUrl()).isEqualTo("https://app.example/avatar/f-1");
    assertThat(factory.codeForge()).isEqualTo("GITHUB");
    assertThat(factory.codeForges()).containsExactly("GITHUB");
    assertThat(requireNonNull(factory.scoring()).has("default_model")).isTrue();
    assertThat(requireNonNull(factory.scorerDefaults()).path("default_runner_uid").asText())
        .isEqualTo("runner-1");
  }

  @Test
  public void aModelSaysWhoMakesItAndWhatItIsFor() throws Exception {
    var model = Golden.read("models#/models/0", Model.class);

    assertThat(model.provider()).isEqualTo(ModelProvider.ANTHROPIC);
    assertThat(model.description()).isEqualTo("For hard problems");
  }

  @Test
  public void toStringShowsNoSignedAddress() throws Exception {
    assertThat(Golden.read("artifact-content", ArtifactContent.class).toString())
        .contains("report.pdf")
        .doesNotContain("a-secret-value", "# The plan");
    assertThat(
            Golden.read("handoff-attachments#/attachments/0", HandoffAttachment.class).toString())
        .contains("screen.png")
        .doesNotContain("a-secret-value");
  }

  @Test
  public void everySetterOfAnIdentityWritesItsMember() throws Exception {
    var identity = Golden.read("identity", Identity.class);
    var created =
        CreateIdentity.builder()
            .name("Fixer")
            .description("Fixes tests")
            .prompt("You fix tests.")
            .environmentId("e-1")
            .baseModel("large")
            .baseHarness("oz")
            .harness(requireNonNull(identity.harness()))
            .harnessAuthSecrets(requireNonNull(identity.harnessAuthSecrets()))
            .skills(identity.skills())
            .secrets(identity.secrets())
            .mcpServers(Map.of("linear", McpServer.builder().warpId("linear").build()))
            .memory(requireNonNull(identity.memory()))
            .inferenceProviders(requireNonNull(identity.inferenceProviders()))
            .credentialStrategy(CredentialStrategy.CREATOR)
            .agentType("foreman")
            .workerHost("worker-1")
            .defaultRunnerUid("runner-1")
            .onBehalfOfEnabled(true)
            .factoryUid("f-1")
            .more(Map.of("a_null_of_next_year", NullNode.instance))
            .build();

    assertThat(ClientJson.tree(created)).isEqualTo(Golden.tree("create-identity"));
    assertThat(created.toBuilder().build()).isEqualTo(created);
  }

  @Test
  public void everySetterOfAChangedIdentityWritesItsMember() throws Exception {
    var identity = Golden.read("identity", Identity.class);
    var changed =
        UpdateIdentity.builder()
            .name("Fixer")
            .description("Fixes tests")
            .prompt("You fix tests.")
            .environmentId("e-1")
            .baseModel("large")
            .baseHarness("oz")
            .harness(requireNonNull(identity.harness()))
            .harnessAuthSecrets(requireNonNull(identity.harnessAuthSecrets()))
            .skills(identity.skills())
            .secrets(identity.secrets())
            .mcpServers(Map.of("linear", McpServer.builder().warpId("linear").build()))
            .memory(requireNonNull(identity.memory()))
            .inferenceProviders(requireNonNull(identity.inferenceProviders()))
            .credentialStrategy(CredentialStrategy.CREATOR)
            .agentType("foreman")
            .workerHost("worker-1")
            .defaultRunnerUid("runner-1")
            .onBehalfOfEnabled(true)
            .more(Map.of("a_null_of_next_year", NullNode.instance))
            .build();

    assertThat(ClientJson.tree(changed)).isEqualTo(Golden.tree("update-identity"));
    assertThat(changed.toBuilder().build()).isEqualTo(changed);
  }

  @Test
  public void unsetMembersAreOmittedAndEmptyOnesAreSent() throws Exception {
    var changed =
        UpdateIdentity.builder()
            .prompt("")
            .skills(List.of())
            .mcpServers(Map.of())
            .more(Map.of("harness", NullNode.instance))
            .build();

    assertThat(ClientJson.tree(changed).toString())
        .isEqualTo("{\"prompt\":\"\",\"skills\":[],\"mcp_servers\":{},\"harness\":null}");
    assertThat(ClientJson.tree(UpdateIdentity.builder().build()).toString()).isEqualTo("{}");
  }

  @Test
  public void everySetterOfAScheduleWritesItsMember() throws Exception {
    var config = AgentConfig.builder().environmentId("e-1").build();
    var created =
        CreateSchedule.builder()
            .name("Nightly tests")
            .cronSchedule("0 3 * * *")
            .prompt("Run the tests.")
            .enabled(false)
            .agentConfig(config)
            .agentUid("sa-1")
            .metadata(Map.of("origin", "cron"))
            .mode(RunMode.NORMAL)
            .team(true)
            .more(Map.of("a_null_of_next_year", NullNode.instance))
            .build();
    var changed =
        UpdateSchedule.builder()
            .name("Nightly tests")
            .cronSchedule("0 4 * * *")
            .enabled(false)
            .prompt("Run the tests.")
            .agentConfig(config)
            .agentUid("sa-1")
            .metadata(Map.of("origin", "cron"))
            .mode(RunMode.NORMAL)
            .more(Map.of("a_null_of_next_year", NullNode.instance))
            .build();

    assertThat(ClientJson.tree(created)).isEqualTo(Golden.tree("create-schedule"));
    assertThat(created.toBuilder().build()).isEqualTo(created);
    assertThat(ClientJson.tree(changed)).isEqualTo(Golden.tree("update-schedule"));
    assertThat(changed.toBuilder().build()).isEqualTo(changed);
  }

  @Test
  public void everySetterOfADispatchWritesItsMember() throws Exception {
    var dispatch =
        DispatchRun.builder()
            .prompt("Fix PAY-123.")
            .title("Pay later")
            .ticketRef("linear:PAY-123")
            .ticketUrl("https://linear.example/PAY-123")
            .more(Map.of("a_null_of_next_year", NullNode.instance))
            .build();

    assertThat(ClientJson.tree(dispatch)).isEqualTo(Golden.tree("dispatch-run"));
    assertThat(dispatch.toBuilder().build()).isEqualTo(dispatch);
    assertThat(dispatch.toString()).contains("linear:PAY-123").doesNotContain("Fix");
  }

  @Test
  public void buildersNameMissingMembers() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CreateIdentity.builder().build())
        .withMessageContaining("name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CreateSchedule.builder().cronSchedule("0 3 * * *").build())
        .withMessageContaining("name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CreateSchedule.builder().name("Nightly").build())
        .withMessageContaining("cron_schedule");
    assertThatNullPointerException()
        .isThrownBy(() -> UpdateSchedule.builder().name("a").cronSchedule("0 3 * * *").build())
        .withMessageContaining("enabled");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> DispatchRun.builder().prompt(" ").build())
        .withMessageContaining("prompt");
  }
}
