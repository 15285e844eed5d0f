package dev.runnel.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.wire.AgentConfigJsonTest;
import dev.runnel.wire.ArtifactItemTest;
import dev.runnel.wire.CreateRunJsonTest;
import dev.runnel.wire.Golden;
import dev.runnel.wire.NeighboursJsonTest;
import dev.runnel.wire.OpenEnumsTest;
import dev.runnel.wire.ProblemTest;
import dev.runnel.wire.RunItemJsonTest;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Where to look up what: each row of the interface's tables, by section, and the test that holds
/// the client to it. `golden/agent-run-api/rows.txt` lists the rows.
class SpecificationTest {
  @FunctionalInterface
  interface Proof<T> {
    void of(T test) throws Exception;
  }

  /// A test with a parameter.
  @FunctionalInterface
  interface ProofWith<T, A> {
    void of(T test, A parameter) throws Exception;
  }

  /// A test with two parameters.
  @FunctionalInterface
  interface ProofWithTwo<T, A, B> {
    void of(T test, A first, B second) throws Exception;
  }

  /// A test with three parameters.
  @FunctionalInterface
  interface ProofWithThree<T, A, B, C> {
    void of(T test, A first, B second, C third) throws Exception;
  }

  /// A test with four parameters.
  @FunctionalInterface
  interface ProofWithFour<T, A, B, C, D> {
    void of(T test, A first, B second, C third, D fourth) throws Exception;
  }

  private static final List<String> ROWS =
      List.of(
          row("2.2 create", RunsResourceTest::aRunIsCreatedOnBothPathsAlike),
          row("2.2 list", RunsResourceTest::aPageOfAListIsRead),
          row("2.2 read", RunsResourceTest::failedReadThrowsTheDocumentedException),
          row("2.2 follow up", RunsResourceTest::aFollowUpIsRefusedAsDocumented),
          row("2.2 cancel", RunsResourceTest::aCancellationIsRefusedAsDocumented),
          row("2.3 prompt", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 config", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 title", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 skill", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 team", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 agent_identity_uid", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 conversation_id", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 attachments", CreateRunJsonTest::attachmentsAreBase64),
          row("2.3 parent_run_id", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 interactive", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 mode", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 metadata", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 on_behalf_of", CreateRunJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.3 needs a task", CreateRunJsonTest::aRunNeedsAPromptASkillOrAConversation),
          row("2.3 images", CreateRunJsonTest::theImagesOfOldLibrariesCanBeSent),
          row("2.4 name", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 model_id", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 base_prompt", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 environment_id", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 skill_spec", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 mcp_servers", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row(
              "2.4 computer_use_enabled",
              AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row(
              "2.4 idle_timeout_minutes",
              AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 worker_host", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 harness", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row(
              "2.4 harness_auth_secrets",
              AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 skills", AgentConfigJsonTest::severalSkillsAreReadWithTheFirstAsSkillSpec),
          row("2.4 runner_id", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 session_sharing", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 memory_stores", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row(
              "2.4 inference_providers",
              AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 credential_strategy", AgentConfigJsonTest::nullCredentialStrategyIsSentAsNull),
          row(
              "2.4 computer_use_model_id",
              AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 secrets", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 experimental", AgentConfigJsonTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.4 auth_secret_name", AgentConfigJsonTest::legacySecretNameIsKept),
          row(
              "2.4 one of warp_id, command, url",
              AgentConfigJsonTest::aToolServerHasExactlyOneOfIdCommandAndUrl),
          row(
              "2.4 args, env, headers",
              AgentConfigJsonTest::argumentsEnvironmentAndHeadersOfAToolServerAreWritten),
          row(
              "2.4 no secret in a string",
              AgentConfigJsonTest::toStringShowsNoSecretsOfAToolServer),
          row("2.5 run_id", RunItemJsonTest::aCreationIsAnsweredWithIdStateAndOldTaskId),
          row("2.5 state", RunItemJsonTest::aCreationIsAnsweredWithIdStateAndOldTaskId),
          row("2.5 task_id", RunItemJsonTest::aCreationIsAnsweredWithIdStateAndOldTaskId),
          row("2.5 at_capacity", RunItemJsonTest::aCreationIsAnsweredWithIdStateAndOldTaskId),
          row("2.6 run_id", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 task_id", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 title", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 state", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 prompt", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 created_at", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 updated_at", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 started_at", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 status_message", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 source", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 creator", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 executor", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 session_id", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 session_link", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 trigger_url", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 agent_config", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 agent_skill", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 conversation_id", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 parent_run_id", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 artifacts", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 request_usage", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 schedule", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 scope", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 is_sandbox_running", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 execution_location", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 metadata", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 run_time", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 is_run_type_cancellable", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 debug_agent_available", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 factory_uid", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 submitted_prompt", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.6 no run_url", RunItemJsonTest::runUrlIsAnUntypedMember),
          row("2.6 started_at of null", RunItemJsonTest::startTimeOfAnUnstartedRunMayBeNull),
          row("2.7 RunStatusMessage", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.7 RunCreatorInfo", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.7 RequestUsage", RunItemJsonTest::usageOfAnyShapeIsKept),
          row("2.7 metadata", RunItemJsonTest::metadataIsAMapOfTextInItsOrder),
          row("2.7 PLAN", ArtifactItemTest::aPlanHasItsDocument),
          row("2.7 PULL_REQUEST", ArtifactItemTest::aPullRequestHasAddressBranchAndStatus),
          row("2.7 SCREENSHOT", ArtifactItemTest::aScreenshotHasItsUidAndMediaType),
          row("2.7 FILE", ArtifactItemTest::aFileHasPathNameAndASizeThatMayBeLarge),
          row(
              "2.7 EXTERNAL_REFERENCE",
              ArtifactItemTest::anExternalReferenceHasItsTypeAndMetadataOfAnyShape),
          row("2.7 other artifacts", ArtifactItemTest::unknownArtifactTypeIsKept),
          row("2.7 PageInfo", RunItemJsonTest::runPageHasRunsAndACursor),
          row("2.7 ListRunsResponse", RunItemJsonTest::runPageHasRunsAndACursor),
          row("2.8 nine states", OpenEnumsTest::runStatesAreTheNinePublishedOnes),
          row("2.8 over", OpenEnumsTest::endedStatesAreTheFourFinalOnes),
          row("2.8 under way", OpenEnumsTest::statesUnderWayAreTheFourActiveOnes),
          row("2.8 BLOCKED", OpenEnumsTest::blockedOrUnknownStateIsNeitherEndedNorActive),
          row("2.9 sources", OpenEnumsTest::runSourcesAreTheTwentyTwoPublishedOnes),
          row("2.9 later values", OpenEnumsTest::aValueOfALaterVersionIsKept),
          row("2.10 limit", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 cursor", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 sort_by, sort_order",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 state", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 name", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 model_id, creator, environment_id, schedule_id",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 source", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 created_after, created_before, updated_after",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 skill, skill_spec",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 artifact_type", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 q", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 execution_location",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 ancestor_run_id", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 executor, metadata",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 automation_id, factory_uid",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 task_status, factory_only",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row(
              "2.10 empty-environment",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.10 bounds of limit", RunsResourceTest::aPageHasOneToFiveHundredRuns),
          row("2.10 continuation", PagesTest::allPagesAreReadWithTheSameQuery),
          row("2.10 403 of metadata", RunsResourceTest::failedReadThrowsTheDocumentedException),
          row(
              "2.11 message",
              CreateRunJsonTest::everyMemberOfAFollowUpIsReadAndWrittenUnderItsName),
          row("2.11 mode", CreateRunJsonTest::everyMemberOfAFollowUpIsReadAndWrittenUnderItsName),
          row(
              "2.11 attachments",
              CreateRunJsonTest::everyMemberOfAFollowUpIsReadAndWrittenUnderItsName),
          row("2.11 outcomes", OpenEnumsTest::followUpsHaveFourOutcomes),
          row("2.11 answer", RunItemJsonTest::followUpResponseMayHaveAnIdAndAnOutcome),
          row("2.11 empty answer", RunItemJsonTest::followUpResponseMayBeEmpty),
          row("2.11 empty message", CreateRunJsonTest::aFollowUpNeedsAMessageOrAttachments),
          row("2.11 message, not prompt", CreateRunJsonTest::followUpTextIsSentAsMessage),
          row("2.12 answer is the id", RunsResourceTest::aCancellationIsAnsweredByTheId),
          row("2.12 states that refuse", RunsResourceTest::aCancellationIsRefusedAsDocumented),
          row("2.12 no body", RunsClientTest.Requests::aCancellationHasNeitherBodyNorContentType),
          row("2.13 type", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 title", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 status", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 error", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 detail", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 instance", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 retryable", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 trace_id", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 provider", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 auth_url", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 inaccessible_repos", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 integration_name", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 setup_url", ProblemTest::everyMemberIsReadAndWrittenUnderItsName),
          row("2.13 codes", OpenEnumsTest::errorCodesAreTheOnesPublished),
          row(
              "2.13 spellings of type",
              ProblemTest::theCodeIsTheLastSegmentOfTheTypeInEverySpelling),
          row("2.13 final failures", OpenEnumsTest::finalErrorCodesAreTheThreeThatMustNotBeRetried),
          row(
              "2.13 retryable or not",
              RunsExceptionTest::retryableMemberTakesPrecedenceOverStatusAndCode),
          row("2.13 status to class", RunsExceptionTest::eachStatusHasItsClassAndItsProblem),
          row("2.14 creation path", RunsResourceTest::aRunIsCreatedOnBothPathsAlike),
          row("2.14 follow-up member name", CreateRunJsonTest::followUpTextIsSentAsMessage),
          row("2.14 attachments or images", CreateRunJsonTest::theImagesOfOldLibrariesCanBeSent),
          row("2.14 config_name", RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.15 GET /agent", CatalogTest::skillsAreListed),
          row("2.15 GET /agent/environments", CatalogTest::environmentsAreListedInTwoOrders),
          row("2.15 GET /agent/models", CatalogTest::modelListNamesTheDefaultModel),
          row("2.15 identities: create", IdentitiesTest::identityIsCreatedWithStatus201),
          row("2.15 identities: list", IdentitiesTest::allIdentitiesAreListed),
          row("2.15 identities: read", IdentitiesTest::identityIsRead),
          row("2.15 identities: update", IdentitiesTest::updateSendsOnlyTheMembersThatAreSet),
          row("2.15 identities: delete", IdentitiesTest::identityIsDeletedWithStatus204),
          row(
              "2.15 identities: keep or clear",
              NeighboursJsonTest::unsetMembersAreOmittedAndEmptyOnesAreSent),
          row("2.15 schedules: create", SchedulesTest::scheduleIsCreatedWithStatus201),
          row("2.15 schedules: list", SchedulesTest::allSchedulesAreListed),
          row("2.15 schedules: read", SchedulesTest::scheduleIsRead),
          row("2.15 schedules: update", SchedulesTest::scheduleIsChanged),
          row("2.15 schedules: delete", SchedulesTest::scheduleIsDeletedWithStatus200),
          row("2.15 schedules: pause, resume", SchedulesTest::schedulePausesAndResumes),
          row(
              "2.15 GET /agent/artifacts/{uid}",
              ArtifactsTest::artifactIsReadWithItsContentOrItsSignedAddress),
          row(
              "2.15 artifacts: download",
              ArtifactsTest.Redirects::aDownloadIsFollowedToAnotherHostWithoutKeyAndTeam),
          row(
              "2.15 GET /agent/sessions/{uuid}/redirect",
              ConversationsTest::theConversationOfASessionIsFoundWhereItHasOne),
          row(
              "2.15 GET /agent/conversations/{id}/redirect",
              ConversationsTest::conversationRedirectReturnsItsSessionOrNull),
          row("2.15 GET /agent/conversations/{id}", ConversationsTest::conversationIsRead),
          row("2.15 GET /agent/runs/{id}/conversation", RunsResourceTest::conversationOfARunIsRead),
          row(
              "2.15 GET /agent/runs/{id}/transcript",
              ArtifactsTest.Redirects::aTranscriptIsFollowedToAnotherHostWithoutKeyAndTeam),
          row("2.15 GET /agent/runs/{id}/timeline", RunsResourceTest::timelineOfARunIsRead),
          row(
              "2.15 GET /agent/runs/{id}/handoff/attachments",
              RunsResourceTest::handoffAttachmentsOfARunAreListed),
          row(
              "2.15 POST /agent/runs/{id}/interrupt",
              RunsResourceTest::anInterruptionIsAnsweredBy202),
          row(
              "2.15 attachments/prepare, conversation follow-ups, messages",
              UndocumentedCallsTest::callsWithoutATypedMethodCanBePosted),
          row(
              "2.15 GET /agent/run-by-external-reference",
              RunsResourceTest::runIsFoundByAnExternalReference),
          row("2.15 GET /agent/connected-self-hosted-workers", CatalogTest::workersAreListed),
          row("2.15 events", UndocumentedCallsTest::eventsArePolledFromASequenceNumber),
          row("2.15 GET /factory", FactoriesTest::factoriesAreListedBySearchTeamLimitAndCursor),
          row("2.15 GET /factory/{uid}", FactoriesTest::factoryIsReadByItsUid),
          row("2.15 POST /factory/{uid}/runs", FactoriesTest::dispatchStartsARunOfAFactory),
          row("2.15 factory tasks", FactoriesTest::factoryTasksAreReadByPath),
          row("2.16 finished_at", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.16 root_run_id", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row(
              "2.16 source of chats and trackers",
              RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.16 trigger_url", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row(
              "2.16 creator of chats and trackers",
              RunItemJsonTest::everyMemberIsReadToItsComponent),
          row("2.16 resolved agent_config", RunItemJsonTest::everyMemberIsReadToItsComponent),
          row(
              "2.16 environment_id of defaults",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.16 PULL_REQUEST status", ArtifactItemTest::aPullRequestHasAddressBranchAndStatus),
          row(
              "2.16 task_status of a tree",
              RunsResourceTest::eachFilterOfAListIsSentByItsNameAndEncoded),
          row("2.16 timeline types", NeighboursJsonTest::anEventOfATimelineHasItsTypeAndExecution),
          row(
              "2.16 conversation step",
              NeighboursJsonTest::conversationStepHasDescriptionSummaryAndTimes),
          row(
              "2.16 conversation message",
              NeighboursJsonTest::conversationStepHasDescriptionSummaryAndTimes),
          row("2.16 text", NeighboursJsonTest::conversationContentIsWrittenAsAFlatObject),
          row("2.16 action", NeighboursJsonTest::conversationContentIsWrittenAsAFlatObject),
          row(
              "2.16 action_result",
              NeighboursJsonTest::aConversationIsNestedAndHasFourRolesAndContents),
          row("2.16 event", NeighboursJsonTest::aConversationIsNestedAndHasFourRolesAndContents),
          row("2.16 model provider", NeighboursJsonTest::aModelSaysWhoMakesItAndWhatItIsFor),
          row("2.16 model description", NeighboursJsonTest::aModelSaysWhoMakesItAndWhatItIsFor),
          row("2.16 request_usage", RunItemJsonTest::stableUsageMembersAreTyped),
          row("2.16 factory members", NeighboursJsonTest::aFactoryHasItsForgesAndScoring),
          row("2.16 identity members", IdentitiesTest::identityIsRead),
          row(
              "2.16 conversation follow-ups",
              ConversationsTest::followUpReturnsTheRunThatReceivesIt),
          row("2.16 what the hosted product has", FactoriesTest::factoryTasksAreReadByPath));

  @Test
  void everyRowHasItsTestOnce() throws Exception {
    assertThat(ROWS).doesNotHaveDuplicates().containsExactlyElementsOf(published());
  }

  /// Rows of members are proved by payloads that hold all of them.
  @ParameterizedTest
  @CsvSource({
    "2.3, create-run, 13",
    "2.4, agent-config, 20",
    "2.5, created-run, 4",
    "2.6, run, 31",
    "2.11, follow-up, 3",
    "2.13, problem, 13"
  })
  void goldenPayloadsContainAllSpecifiedMembers(String section, String golden, int members)
      throws Exception {
    var names =
        ROWS.stream()
            .filter(row -> row.startsWith(section + " "))
            .map(row -> row.substring(section.length() + 1))
            .limit(members);

    assertThat(names).hasSize(members).allMatch(Golden.tree(golden)::has);
  }

  private static List<String> published() throws IOException {
    try (var file =
        requireNonNull(
            SpecificationTest.class.getResourceAsStream("/golden/agent-run-api/rows.txt"))) {
      return new String(file.readAllBytes(), UTF_8)
          .lines()
          .flatMap(
              line -> {
                var section = line.substring(0, line.indexOf(' ') + 1);
                return Stream.of(line.substring(section.length()).split(" \\| "))
                    .map(section::concat);
              })
          .toList();
    }
  }

  private static <T> String row(String name, Proof<T> proof) {
    return named(name, proof);
  }

  private static <T, A> String row(String name, ProofWith<T, A> proof) {
    return named(name, proof);
  }

  private static <T, A, B> String row(String name, ProofWithTwo<T, A, B> proof) {
    return named(name, proof);
  }

  private static <T, A, B, C> String row(String name, ProofWithThree<T, A, B, C> proof) {
    return named(name, proof);
  }

  private static <T, A, B, C, D> String row(String name, ProofWithFour<T, A, B, C, D> proof) {
    return named(name, proof);
  }

  private static String named(String name, Object proof) {
    requireNonNull(proof);
    return name;
  }
}
