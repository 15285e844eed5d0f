package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.lenient;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.runnel.database.DatabaseException;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.store.ApiKeys;
import io.javalin.http.Context;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
import java.net.URI;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.mockito.ArgumentCaptor;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;
import org.slf4j.LoggerFactory;

/// What is answered when a handler fails.
@ExtendWith(MockitoExtension.class)
class GuardProblemTest {
  private static final String WORDS = "for makers only";
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  @Mock private ApiKeys keys;
  @Mock private Context context;
  private AuthFilter authFilter;

  @BeforeEach
  void make() {
    lenient().when(context.path()).thenReturn("/api/v1/agent/runs");
    lenient()
        .when(context.header("traceparent"))
        .thenReturn("00-" + TRACE + "-00f067aa0ba902b7-01");
    lenient().when(context.status(anyInt())).thenReturn(context);
    lenient().when(context.contentType(anyString())).thenReturn(context);
    authFilter = new AuthFilter(keys, () -> URI.create("https://runnel.test/"));
  }

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(new IOException(WORDS), 400, "invalid_request"),
        Arguments.of(new HttpResponseException(404, WORDS), 404, "resource_not_found"),
        Arguments.of(new HttpResponseException(413, WORDS), 413, "request_too_large"),
        Arguments.of(new HttpResponseException(405, WORDS), 400, "invalid_request"),
        Arguments.of(new HttpResponseException(503, WORDS), 503, "resource_unavailable"),
        Arguments.of(new DatabaseException(WORDS, null), 500, "resource_unavailable"),
        Arguments.of(new IllegalStateException(WORDS), 500, "internal_error"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void failureIsReportedAsAProblemWithoutItsMessage(Exception failure, int status, String type)
      throws Exception {
    authFilter
        .open(
            _ -> {
              throw failure;
            })
        .handle(context);

    verify(context).status(status);
    verify(context).contentType("application/problem+json");
    var problem = problem();
    assertThat(problem.path("type").asText()).isEqualTo("https://runnel.test/problems/" + type);
    assertThat(problem.path("trace_id").asText()).isEqualTo(TRACE);
    assertThat(problem.path("instance").asText()).isEqualTo("/api/v1/agent/runs");
    assertThat(problem.toString()).doesNotContain(WORDS);
  }

  static Stream<Arguments> shortages() {
    return Stream.of(
        Arguments.of(new DatabaseException(WORDS, null), "5"),
        Arguments.of(new HttpResponseException(503, WORDS), "1"));
  }

  @ParameterizedTest
  @MethodSource("shortages")
  void aProblemForLackOfCapacitySaysWhenToTryAgain(Exception shortage, String seconds)
      throws Exception {
    authFilter
        .open(
            _ -> {
              throw shortage;
            })
        .handle(context);

    verify(context).header("Retry-After", seconds);
    var problem = problem();
    assertThat(problem.path("title").asText())
        .isEqualTo("The service has no capacity for this now");
    assertThat(problem.path("retryable").asBoolean()).isTrue();
  }

  static Stream<Exception> failuresWith500() {
    return Stream.of(
        new IllegalStateException(WORDS),
        new InterruptedException(),
        new DatabaseException(WORDS, null),
        new HttpResponseException(500, WORDS),
        new RequestProblem(RequestProblem.Code.RESOURCE_UNAVAILABLE, "No folder"));
  }

  @ParameterizedTest
  @MethodSource("failuresWith500")
  void every500HasOneLineInTheLogWithMethodAndPath(Exception failure) throws Exception {
    when(context.method()).thenReturn(HandlerType.POST);
    var lines = new ListAppender<ILoggingEvent>();
    var log = (Logger) LoggerFactory.getLogger(AuthFilter.class);
    lines.start();
    log.addAppender(lines);
    log.setLevel(Level.WARN);
    try {
      authFilter
          .open(
              _ -> {
                throw failure;
              })
          .handle(context);
    } finally {
      log.detachAppender(lines);
      log.setLevel(null);
      var _ = Thread.interrupted();
    }

    verify(context).status(500);
    assertThat(lines.list)
        .singleElement()
        .satisfies(
            line ->
                assertThat(line.getFormattedMessage())
                    .contains("method=POST path=/api/v1/agent/runs error=" + TRACE));
  }

  @Test
  void errorOfTheMemoryIsNotCaught() {
    var handler =
        authFilter.open(
            _ -> {
              throw new OutOfMemoryError(WORDS);
            });

    assertThatThrownBy(() -> handler.handle(context)).isInstanceOf(OutOfMemoryError.class);
  }

  private JsonNode problem() throws IOException {
    var body = ArgumentCaptor.forClass(String.class);
    verify(context).result(body.capture());
    return new ObjectMapper().readTree(body.getValue());
  }
}
