package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/// What has gone wrong in bots like this one, and the tests that it does not go wrong here. The
/// numbers are those of a study of other bots; those that are about trackers and hooks alone are
/// not here.
class FailureModesTest {
  private static final Set<String> NAMED =
      Set.of(
          "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12", "F13", "F14",
          "F15", "F16", "F17", "F18", "F19", "F20", "F21", "F22", "F23", "F24", "F25", "F26", "F27",
          "F28", "F41", "F42", "F43", "F44", "F45", "F50", "F52", "F53", "F56", "F57", "F58", "F60",
          "F61", "F62", "F63", "F64", "F65", "F66", "F67");

  private static final String TABLE =
      """
      # A restart forgets threads, and takes what is sent again for new.
      F1 story.SlackStoryTest#killDuringARunIsReportedOnceAndTheThreadContinues
      F1 surface.slack.SlackRetriesTest#repeatedEventIsRecognizedAfterARestart
      # Two nodes make two runs of one message.
      F2 story.DuplicateStormTest#bothEventsOfAMentionAtTwoNodesStartOneRun
      F2 store.ReplicasTest#anotherNodeTakesOverTheWorkOfALostNode
      # A reply before the run is known starts another.
      F3 core.JourneyTest$BeforeTheRunIsThere#messagesAfterAWaitingStartGoToItsRun
      F3 core.JourneyTest$BeforeTheRunIsThere#aReplyToAThreadThatIsStillBeingOpenedGoesToItsRun
      F3 core.CrashTest#replyReachesARunningAgentOnceDespiteACrash
      # Some states are shown to nobody.
      F4 core.JourneyTest$WhileTheRunGoes#unexpectedFailureIsReportedWithItsReason
      F4 core.JourneyTest$WhileTheRunGoes#unknownStateIsShownAndTheRunIsStillWatched
      F4 runs.RunItemsTest#serviceStatesMapToSevenRunStates
      # After ten minutes nobody hears of the run; its success is never told.
      F5 core.JourneyTest$WhileTheRunGoes#endAfterThreeHoursIsReported
      F5 story.SlackStoryTest#slashCommandStartsARunAndItsThreadGetsTheAnswer
      # Each run holds a thread, and the eleventh is not even acknowledged.
      F6 core.ManyRunsTest#hundredsOfRunsNeedNoMoreCallsThanOne
      F6 service.execution.QueueTest#twoHundredRunsStartInOrderWithNoSlotLostAndNoneTooMany
      # One failed look ends the watch and shows an exception to everybody.
      F7 core.JourneyTest$WhenThingsAreDown#failedPollsBecomeLessFrequentAndPostNothing
      F7 runs.ErrorTextsTest#technicalDetailsOfAServiceErrorAreNotShown
      F7 surface.slack.render.SlackRendererTest#noPostContainsExceptionNamesLocalUrlsOrHeaders
      # A follow-up that fails becomes a new run without a word.
      F8 core.WhenTheThreadAlreadyHasARunTest#messageIsNeitherLostNorDeliveredTwice
      F8 core.WhenTheThreadAlreadyHasARunTest#refusalIsPostedWithItsLink
      F8 core.JourneyTest$AfterTheEnd#newRunContinuesTheThreadIfAFollowUpIsRefused
      # Two channels share a key, and what was not worked on counts as seen.
      F9 surface.slack.receive.SlackPayloadsTest$AMention#mentionInAnotherChannelDiffersDespiteTheSameTimestamp
      F9 core.CrashTest#startHappensOnceAndItsEndIsReportedOnce
      # A hook without a proof is open to the world.
      F10 app.HookSettingsTest#invalidHookSettingStopsTheStartAndIsNamed
      # A strange header is an error of ours.
      F11 surface.slack.SlackSurfaceTest$ASignature#missingOrMalformedSignatureIsRejectedWithAnEmptyBody
      # What cannot be read starts a run all the same.
      F12 surface.slack.SlackOddPayloadsTest$AnUnreadableBody#unreadableBodyIsABadRequest
      F12 surface.slack.SlackOddPayloadsTest$AnUnreadableBody#tooDeeplyNestedBodyIsABadRequest
      # The run is made inside the request, and again when the sender loses patience.
      F13 web.WebhookEndpointTest#acceptedDeliveryIsStoredBeforeTheResponse
      F13 core.JourneyTest$WhenThingsAreDown#aStartWhoseAnswerIsLostIsAdoptedNotRepeated
      # What people say breaks out of its place in the prompt, and a secret in it goes along.
      F14 core.AttackedThreadTest#nothingOfOthersStandsOutsideItsFence
      F14 core.PromptOfAnIssueTest#titleAuthorAndLabelsCannotForgeOtherLines
      F14 core.redact.RedactionTest$OfRuns#aPromptIsStartedAndFoundAgainWithoutSecrets
      # Anybody gets an answer to a handshake.
      F15 surface.slack.SlackSurfaceTest$ASignature#handshakeWithoutASignatureIsRejected
      # Of a long thread the oldest messages are read, by ids, with our own among them.
      F16 surface.slack.SlackPostingTest$TheBackground#backgroundOfALongThreadIsItsBeginningAndItsEnd
      F16 surface.slack.SlackPostingTest$TheBackground#backgroundQuotesTheThreadWithNames
      # Edits, deletions and replies are dropped; there is no stop, list or status.
      F17 story.SlackFlowsStoryTest$Flows#editReplacesAWaitingMessage
      F17 story.SlackFlowsStoryTest$Flows#deletionWithdrawsAWaitingMessage
      F17 story.SlackFlowsStoryTest$Flows#verbsListShowAndStopRuns
      F17 story.SlackVerbsStoryTest#everyVerbIsAnsweredPrivately
      # Half a configuration starts, and health tells names to everybody.
      F18 app.MainTest#incompletePlatformSettingsStopTheStartAndAreNamed
      F18 web.WebhookEndpointTest#healthAndMetricsRevealNoWork
      F18 console.ConsoleTest$Visitors#visitorWithoutASessionSeesOnlyTheSignInPage
      # Several threads change what they share.
      F19 testkit.StoreContract#onlyOneOfManySimultaneousDeliveriesIsNew
      F19 core.InterleavingsTest#twoConcurrentNodesAreCorrectInAnyOrder
      # What was taken is lost when the process is asked to end.
      F20 story.StartAndEndTest#deliveryAcceptedDuringTheShutdownIsProcessedOnce
      F20 surface.slack.receive.SlackSocketTest#closingAcknowledgesAcceptedEnvelopesAndOpensNoSocket
      F20 story.OutageTest#shutdownRefusesDeliveriesAndReportsNotReady
      F20 story.StartAndEndTest#unresponsiveSlackDelaysNeitherStartNorShutdown
      # One agent that hangs stops the bot.
      F21 surface.slack.SlackSurfaceTest$AtTheStart#receiveBeforeTheStartCallsNobody
      # Two requests of one second overwrite each other.
      F22 core.ManyRunsTest#twoSimultaneousRequestsStartTwoRuns
      # Everybody on the machine reads the key.
      F23 story.SlackFlowsStoryTest$Flows#secretsAreHiddenFromAgentsAndProcessListings
      F23 service.agent.LaunchTest#agentArgumentsContainNeitherPromptsNorSecrets
      F23 app.settings.SettingsTest#toStringOfSettingsContainsNoSecrets
      F23 surface.slack.model.SlackConfigTest#secretsAreNotShown
      # The prompt arrives as somebody's notation of it.
      F24 service.isolation.ExecutorContract#thePromptArrivesByteForByte
      F24 core.command.MessageParserTest#aPromptKeepsItsLinesQuotesAndEmoji
      F24 surface.slack.SlackFrameTest#textArrivesUnchangedOverTheSocket
      # "Executed successfully" is all that people are told.
      F25 surface.slack.render.SlackRendererTest#noPostContainsExceptionNamesLocalUrlsOrHeaders
      # Anybody may run the agent, and the agent has the bot's token.
      F26 service.isolation.ExecutorContract#theAgentKnowsItsRunAndNoneOfOurSecrets
      F26 app.settings.SettingsTest#agentsDoNotInheritTheVariablesThatSecretsComeFrom
      F26 app.settings.SecretsTest#eachOfASecretSettingsValuesIsMasked
      F26 story.SecretsStoryTest#secretsAreMaskedInThreadConsoleTranscriptLogAndPrompt
      F26 core.dispatch.SenderCheckTest#turnedAwaySenderStartsNothingAndGetsNoReply
      # Without its context the run goes on silently.
      F27 surface.slack.SlackPostingTest$TheBackground#unreadableBackgroundIsUnavailableForNow
      F27 core.JourneyTest$InANewConversation#aBackgroundThatStaysUnreadableDoesNotHoldTheRunUpForEver
      # A scope is missing, and messages stand in the log.
      F28 surface.slack.receive.ManifestTest#everyMethodTheCodeCallsHasItsScopesAndNoScopeIsUnused
      F28 surface.slack.ManifestAndCodeTest#subscribedEventsEqualThoseKnownToTheCode
      F28 story.SlackFlowsStoryTest$Flows#messageTextsAreNotLogged
      # A body is read and logged before it is believed.
      F41 story.SlackStoryTest#unsignedOrMalformedRequestIsRefusedAndNotStored
      F41 surface.slack.SlackOddPayloadsTest$AnUnreadableBody#reasonForAnUnreadableBodyDoesNotQuoteIt
      # A field that some clients leave out is an error of ours.
      F42 surface.slack.SlackSpoiledEventsTest#eventWithASpoiledFieldIsHandledSafely
      F42 surface.slack.SlackSpoiledEventsTest#eventWithSeveralSpoiledFieldsIsHandledSafely
      # What was seen is forgotten before Slack's last retry.
      F43 surface.slack.SlackRetriesTest#repeatedEventIsRecognized
      # Anybody can finish an installation, and a token stands in an address.
      F44 surface.slack.install.InstalledWorkspacesTest$AnInstallation#installationBeginsWithTheManifestsScopesAndItsOwnState
      F44 story.SlackInstallStoryTest#cancelledRepeatedOrForeignReturnInstallsNothing
      F44 surface.slack.install.InstalledWorkspacesTest$TheClientSecret#databaseContainsNeitherTokensNorTheClientSecret
      # Only who started it may speak, and not while it starts.
      F45 core.WhenTheThreadAlreadyHasARunTest#messageIsNeitherLostNorDeliveredTwice
      F45 core.deliver.RemindersTest$Listens#replyFromEverybodyReachesTheAgentByDefault
      # The first mention is taken out, which may be a colleague.
      F50 surface.slack.receive.SlackPayloadsTest$AMention#mentionLosesOurNameButKeepsThoseOfOthers
      F50 surface.slack.model.SlackTextTest#onlyOurOwnMentionIsRemoved
      # A press of a button asks nobody whether it may.
      F52 core.decide.RunAccessPolicyTest$FromAnotherChannel#strangerIsRefusedPrivatelyWithTheNamesOfThosePermitted
      # Slack waits while the bot calls out, and without its store it doubles.
      F53 surface.slack.SlackSurfaceTest$AtTheStart#startCallsSlackOnceAndReceiveNever
      F53 web.WebhookEndpointTest#deliveryThatCannotBeStoredIsRequestedAgain
      F53 store.GroupCommitTest#waitingSenderTimesOutAndIsNotCommitted
      # A crash after the claim loses the event.
      F56 core.CrashTest#startHappensOnceAndItsEndIsReportedOnce
      F56 store.ConversationWorkersTest$Contract#rowsOfAnEarlierProcessAreProcessed
      # A stranger's stop is ignored without a word.
      F57 core.decide.RunAccessPolicyTest$FromAnotherChannel#strangerIsRefusedPrivatelyWithTheNamesOfThosePermitted
      # A timer is in memory.
      F58 core.deliver.RemindersTest$OfAQuestion#reminderSurvivesARestart
      # A run that waits for a person is watched as if it worked.
      F60 core.JourneyTest$WhileTheRunGoes#unexpectedFailureIsReportedWithItsReason
      F60 runs.RunItemsTest#serviceStatesMapToSevenRunStates
      # An answer is dropped because it may have been posted.
      F61 surface.slack.SlackPostingTest$AfterATryOfUnknownOutcome#aPostThatArrivedIsNotRepeated
      F61 surface.slack.SlackPostingTest$AfterATryOfUnknownOutcome#aPostThatDidNotArriveIsMade
      F61 core.JourneyTest$WhenThingsAreDown#aPostWhoseAnswerIsLostAppearsOnce
      # A secret may be empty, or so short that it is guessed.
      F62 app.settings.SettingsTest#everySecretThatNoPlatformIssuesHasAtLeastSixteenCharacters
      F62 app.HookSettingsTest#invalidHookSettingStopsTheStartAndIsNamed
      # It is answered first, and read and kept afterwards.
      F63 web.WebhookEndpointTest#acceptedDeliveryIsStoredBeforeTheResponse
      F63 surface.slack.SlackOddPayloadsTest$AnUnreadableBody#unreadableBodyIsABadRequest
      # A signature that can be forged is enough, and a body may be of any size.
      F64 surface.github.GitHubSurfaceTest$Proof#legacySignatureAloneIsRejected
      F64 web.WebhookEndpointTest#aBodyOverTheLimitIsTooLargeAnnouncedOrNot
      # What overlaps is dropped.
      F65 core.SeveralMessagesTest$Together#quickMessagesBecomeOneFollowUpInOrder
      F65 story.SlackFlowsStoryTest$Flows#quickMessagesAreDeliveredTogether
      # The socket is a side path.
      F66 surface.slack.SlackBothWaysTest#everyFixtureHasTheSameEffectOverHttpAndSocket
      F66 surface.slack.receive.SlackSocketTest$Readiness#readinessSurvivesAShortDisconnectionButNotALongOne
      F66 story.SlackStoryTest#serverStaysAliveWithoutSlackButItsSocketIsNotReady
      # A stop races with a start or an end.
      F67 core.InterleavingsTest#startAndStopAreCorrectInAnyOrder
      F67 core.InterleavingsTest#startFollowUpAndStopAreCorrectInAnyOrder
      F67 core.InterleavingsTest#threadOpeningAndStopAreCorrectInAnyOrder
      """;

  static final List<String> ROWS = TABLE.lines().filter(it -> !it.startsWith("#")).toList();

  @Test
  void everyDocumentedFailureModeHasARow() {
    assertThat(ROWS.stream().map(it -> it.split(" ", 2)[0]).distinct())
        .containsExactlyInAnyOrderElementsOf(NAMED);
  }

  @ParameterizedTest
  @FieldSource("ROWS")
  void everyFailureModeRefersToATestThatRuns(String row) throws ClassNotFoundException {
    var test = row.split(" ", 2)[1].split("#", 2);
    var holder = Class.forName("dev.runnel." + test[0]);
    var methods =
        Stream.of(holder.getDeclaredMethods()).filter(it -> it.getName().equals(test[1])).toList();

    assertThat(methods).as(row).hasSize(1).allMatch(FailureModesTest::isRun);
    assertThat(holder.isAnnotationPresent(Disabled.class)).isFalse();
  }

  private static boolean isRun(Method method) {
    return !method.isAnnotationPresent(Disabled.class)
        && Stream.of(Test.class, ParameterizedTest.class, TestFactory.class)
            .anyMatch(method::isAnnotationPresent);
  }
}
