package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serializable;
import java.lang.invoke.SerializedLambda;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/// What the official libraries (sections 3.1 to 3.4) and the libraries of their kind for Java (3.7)
/// offer, and the test that shows it here. Where we mean to do otherwise, a word says how.
class FeaturesTest {
  /// A test of a test class.
  @FunctionalInterface
  interface Proof<T> extends Serializable {
    void of(T test) throws Exception;
  }

  private record Row(String section, String feature, Proof<?> proof, String otherwise) {
    @Override
    public String toString() {
      return section + " " + feature;
    }
  }

  private static final List<Row> ROWS =
      List.of(
          row("3.1", "Client", RetriesTest::theNumberOfTheRetryIsSent),
          row(
              "3.1",
              "Timeout",
              DeadlinesTest::defaultDeadlineIsAMinute,
              "a minute for all of it, the body included"),
          row("3.1", "Retries", RetriesTest::defaultIsTwoRetries),
          row("3.1", "Pool", KeptConnectionsTest::aConnectionIsKeptForTheNextRequest),
          row(
              "3.1",
              "Redirects",
              OptionsTest::unknownAddressesAreRetriedAndRedirectedLikeOthers,
              "only readings follow one, and another host is told no key"),
          row("3.1", "Missing key", OptionsTest::missingClientSettingIsNamed),
          row("3.1", "Base URL", OptionsTest::theBaseUrlMayEndWithASlashOrNot),
          row("3.1", "Needs", ClosingTest::aProgramEndsAlthoughItsClientIsNotClosed, "Java 25"),
          row(
              "3.2",
              "x-should-retry",
              RetriesTest::shouldRetryHeaderOverridesTheStatus,
              "but a creation in doubt is not repeated even then"),
          row(
              "3.2",
              "Statuses, connection failures, timeouts",
              RetriesTest::temporaryStatusesAndLostConnectionsAreRetried),
          row(
              "3.2",
              "Delay, first hit wins",
              RetriesTest::retryDelayHeadersAreReadAsMillisecondsSecondsOrADate),
          row("3.2", "Backoff", RetriesTest::retryDelayDoublesMinusARandomQuarter),
          row("3.2", "Server-given delay", RetriesTest::invalidRetryDelayIsReplacedByTheDefault),
          row(
              "3.2",
              "Retry number, sleeping",
              RetriesTest::interruptEndsARealRetryDelay,
              "a wait ends at an interrupt"),
          row(
              "3.2",
              "retryable in the body",
              RetriesTest::retryableFalseAndFinalErrorCodesPreventARetry,
              "obeyed"),
          row(
              "3.2",
              "No idempotency",
              RetriesTest::aCreationIsOnlyRepeatedWhenItHadNoEffect,
              "a creation is never repeated blindly"),
          row("3.3", "400", ErrorsTest::status400ThrowsBadRequest),
          row("3.3", "401", ErrorsTest::status401ThrowsUnauthorized),
          row("3.3", "403", ErrorsTest::status403ThrowsForbidden),
          row("3.3", "404", ErrorsTest::status404ThrowsNotFound),
          row("3.3", "409", ErrorsTest::status409ThrowsConflict),
          row("3.3", "422", ErrorsTest::status422ThrowsUnprocessable),
          row("3.3", "429", ErrorsTest::status429ThrowsTooMany),
          row("3.3", "≥ 500", ErrorsTest::status5xxThrowsServerFailed),
          row("3.3", "other", ErrorsTest::otherErrorStatusThrowsOtherStatus),
          row("3.3", "no answer", ErrorsTest::brokenConnectionThrowsConnectionFailed),
          row("3.3", "timeout", DeadlinesTest::theDeadlineEndsAStalledHead),
          row(
              "3.3",
              "aborted by caller",
              ErrorsTest::interruptedCallThrowsInterruptedAndKeepsTheInterruptFlag),
          row("3.3", "schema mismatch", ErrorsTest::strictOptionRejectsUnreadableMembers),
          row(
              "3.3",
              "unreadable success body",
              ErrorsTest::responseThatIsNotAJsonObjectIsMalformed,
              "inside the hierarchy"),
          row("3.4", "Per-request options", OptionsTest::callOptionsApplyOnlyToThatCall),
          row(
              "3.4",
              "Derived client",
              OptionsTest::aDerivedClientLeavesTheFirstAsItWasAndSharesItsConnections),
          row("3.4", "Default headers and query", OptionsTest::callOptionsOverrideClientOptions),
          row("3.4", "Raw response", RawResponseTest::rawResponseHasStatusHeadersTimeAndAttempts),
          row(
              "3.4",
              "Streamed raw response",
              StreamedResponseTest::theBodyIsReadPieceByPieceAsItArrives),
          row("3.4", "Undocumented endpoints", OptionsTest::addressesUnknownToTheClientCanBeCalled),
          row("3.4", "Undocumented parameters", OptionsTest::callOptionsApplyOnlyToThatCall),
          row("3.4", "Undocumented response members", ModelsTest::anUnknownMemberIsKept),
          row("3.4", "null vs absent", ModelsTest::nullIsDistinguishedFromAbsentInTheRawJson),
          row("3.4", "Unknown enum value", ModelsTest::unknownRunStateIsKept),
          row("3.4", "Auto-pagination", PagesTest::allPagesAreReadWithTheSameQuery),
          row("3.4", "Hooks", HttpSetupTest::interceptorsSeeTheRequestAndMayChangeIt),
          row("3.4", "Proxy", HttpSetupTest::requestsGoThroughAProxy),
          row("3.4", "Async", AsyncTest::futureReturnsTheValue, "one client serves both"),
          row("3.4", "Closing", ClosingTest::closeReleasesTheConnections),
          row("3.4", "Logging", LoggingTest::secretsOfRequestsAndResponsesAreNotLogged),
          row(
              "3.4",
              "Path parameters",
              OptionsTest::pathCannotLeaveTheBaseUrl,
              "an empty id is refused"),
          row("3.4", "Models", ModelsTest::anAnswerIsATypedValueWithItsTimes),
          row(
              "3.4",
              "Default request headers",
              OptionsTest::theUsualHeadersAreSent,
              "of the X-Stainless headers only the retry count"),
          row(
              "3.7",
              "Artifacts, HTTP client replaceable",
              ClosingTest::theCallersHttpClientStaysOpenForOthers,
              "one artifact; Spring starter: not offered"),
          row(
              "3.7",
              "Configuration",
              OptionsTest::propertiesOverrideVariablesAndSettersOverrideBoth),
          row(
              "3.7",
              "Immutable values with builders",
              ModelsTest::requestBuilderCanBeExtendedAndAcceptsUnknownMembers,
              "null instead of Optional in records"),
          row(
              "3.7",
              "Async client",
              AsyncTest::asyncCallRunsOnTheGivenExecutor,
              "one client serves both"),
          row("3.7", "Raw response, streams", StreamedResponseTest::theBodyIsReadLineByLine),
          row("3.7", "Unchecked exceptions", ErrorsTest::randomResponsesThrowOnlyRunsExceptions),
          row("3.7", "Paging", AsyncTest::allPagesArePassedToTheConsumer),
          row(
              "3.7",
              "Forward compatibility",
              RawResponseTest::rawResponseKeepsUnknownMembers,
              "no field objects: raw JSON tells null, absent and wrong type"),
          row(
              "3.7",
              "Response checking",
              ErrorsTest::strictOptionRejectsUnreadableMembers,
              "when the answer is read, not on access"),
          row("3.7", "RequestOptions per call", DeadlinesTest::deadlineEndsASlowBody),
          row(
              "3.7",
              "Proxy, pool, TLS, log level",
              LoggingTest::variableSetsTheLogLevelUnlessTheBuilderDoes,
              "no R8 rules, no GraalVM metadata, no check of Jackson's version"));

  @Test
  void everyRowOfTheFeatureTablesIsPresent() {
    assertThat(ROWS.stream().collect(Collectors.groupingBy(Row::section, Collectors.counting())))
        .containsOnly(
            Map.entry("3.1", 8L),
            Map.entry("3.2", 8L),
            Map.entry("3.3", 14L),
            // Eighteen features, and the headers below the table.
            Map.entry("3.4", 19L),
            Map.entry("3.7", 11L));
    assertThat(ROWS).extracting(Row::toString).doesNotHaveDuplicates();
  }

  @Test
  void everyProofIsATestThatRuns() {
    assertThat(ROWS).allSatisfy(row -> assertThat(isTest(row.proof())).isTrue());
  }

  private static boolean isTest(Proof<?> proof) throws ReflectiveOperationException {
    var writing = proof.getClass().getDeclaredMethod("writeReplace");
    writing.setAccessible(true);
    var method = (SerializedLambda) writing.invoke(proof);
    var type = Class.forName(method.getImplClass().replace('/', '.'));
    return Arrays.stream(type.getDeclaredMethods())
        .anyMatch(
            it ->
                it.getName().equals(method.getImplMethodName())
                    && it.isAnnotationPresent(Test.class));
  }

  private static <T> Row row(String section, String feature, Proof<T> proof) {
    return new Row(section, feature, proof, "");
  }

  private static <T> Row row(String section, String feature, Proof<T> proof, String otherwise) {
    return new Row(section, feature, proof, otherwise);
  }
}
