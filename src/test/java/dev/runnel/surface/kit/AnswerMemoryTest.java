package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.testkit.MockServers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AnswerMemoryTest {
  private static final int MIB = 1024 * 1024;
  private static final int STEPS = 128;

  private final Share steps = MemoryBudget.of(256L * MIB).share(MemoryBudget.Kind.STEPS);
  private final AnswerMemory answers = new AnswerMemory(steps, Duration.ofMillis(1));
  private final MockWebServer server = MockServers.create();

  @BeforeEach
  void start() throws IOException {
    server.start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void answers(String text) {
    server.enqueue(
        new MockResponse.Builder()
            .addHeader("Content-Type", "application/json; charset=utf-8")
            .body(text)
            .build());
  }

  private static String text(int characters) {
    return "\"%s\"".formatted("x".repeat(characters));
  }

  private JsonHttp.JsonResponse call() {
    try {
      return new JsonHttp(
              new OkHttpClient.Builder().addInterceptor(answers).build(),
              URI.create("http://127.0.0.1:" + server.getPort() + "/"),
              Map.of())
          .get("/");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void answerReturnsItsMemoryWhenItWasRead() {
    answers(text(2 * MIB));

    assertThat(call().body().textValue()).hasSize(2 * MIB);
    assertThat(steps.taken()).isZero();
  }

  @Test
  void stepKeepsTheMemoryOfAllItsAnswersUntilItsEnd() {
    answers(text(MIB));
    answers(text(10));
    answers(text(MIB / 2));

    var before =
        answers.step(
            () -> {
              var _ = call();
              var _ = call();
              var _ = call();
              return steps.taken();
            });

    assertThat(before).isGreaterThanOrEqualTo(6L * MIB).isLessThan(8L * MIB);
    assertThat(steps.taken()).isZero();
  }

  /// As many as work at the same time.
  @Test
  void allStepsHaveMemoryForShortAnswers() {
    for (int i = 0; i < 2 * STEPS; i++) {
      answers(text(10));
    }

    inSteps(STEPS);

    assertThat(server.getRequestCount()).isEqualTo(2 * STEPS);
  }

  private void inSteps(int count) {
    if (count > 0) {
      var _ =
          answers.step(
              () -> {
                var _ = call();
                var _ = call();
                inSteps(count - 1);
                return count;
              });
    }
  }

  @Test
  void callWithoutFreeMemoryFailsBeforeItIsMade() {
    try (var _ = steps.tryTake(steps.size()).orElseThrow()) {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(this::call)
          .withMessageContaining("no memory is free for the answer");
    }
    assertThat(server.getRequestCount()).isZero();
    assertThat(steps.taken()).isZero();
  }

  @Test
  void answerThatFindsNoMoreMemoryFailsAndReturnsWhatItTook() {
    answers(text(2 * MIB));
    try (var others = steps.tryTake(steps.size() - MIB).orElseThrow()) {
      assertThatExceptionOfType(UncheckedIOException.class)
          .isThrownBy(() -> answers.step(this::call))
          .withMessageContaining("no memory is free for the answer");
      assertThat(steps.taken()).isEqualTo(others.bytes());
    }
  }

  @Test
  void answerThatIsTooLongIsNoJson() {
    answers(text(9 * MIB));

    assertThat(call().body().isMissingNode()).isTrue();
    assertThat(steps.taken()).isZero();
  }

  @Test
  void callThatFailsReturnsItsMemory() {
    server.close();

    assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(this::call);
    assertThat(steps.taken()).isZero();
  }
}
