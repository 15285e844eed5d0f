package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.testkit.EmbeddedService;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Waiting for runs of the embedded service, whose `run_time` is another one at each read.
@Tag("slow")
@Timeout(60)
class EmbeddedWaitingTest {
  /// Works until the file `end` is there.
  private static final String AGENT =
      "echo \"::status working\"; while [ ! -e %s ]; do sleep 0.05; done; echo Done";

  private final TestTime time = new EndsInTheLastWait();
  private Path end;
  private EmbeddedService service;
  private RunsClient client;

  @BeforeEach
  void start(@TempDir Path folder) {
    end = folder.resolve("end");
    service = new EmbeddedService(folder, AGENT.formatted(end));
    client =
        RunsClient.builder()
            .baseUrl(service.uri().resolve("/api/v1"))
            .apiKey(EmbeddedService.KEY)
            .time(time)
            .build();
  }

  @AfterEach
  void stop() {
    client.close();
    service.close();
  }

  @Test
  void awaitPollsAWorkingRunLessAndLessOftenAndReportsEachChangeOnce() {
    var id = working();
    var told = new ArrayList<String>();

    client
        .runs()
        .await(id, WaitOptions.USUAL.onProgress(run -> told.add(run.state() + " " + run.message())))
        .send();

    assertThat(told).containsExactly("INPROGRESS working", "SUCCEEDED Done");
    assertThat(time.waits).hasSize(6).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void watchDoesNotReportARunWhoseRunTimeAloneChanges() {
    working();

    var told = client.runs().watch(ListRuns.ALL, Duration.ofSeconds(1)).stream().limit(1).toList();

    assertThat(told).extracting(run -> run.state()).containsExactly(RunStateValue.SUCCEEDED);
  }

  private String working() {
    var id = client.runs().create(CreateRun.of("Work")).send().runId();
    await().until(() -> client.runs().get(id).send().message().equals("working"));
    return id;
  }

  /// Waits for nobody. In the last wait the agent ends.
  private final class EndsInTheLastWait extends TestTime {
    private static final int WAITS = 6;

    private EndsInTheLastWait() {
      super(ClientFixture.NOW);
    }

    @Override
    public void sleep(Duration wait) throws InterruptedException {
      super.sleep(wait);
      if (waits.size() == WAITS) {
        letTheAgentEnd();
      }
    }

    private void letTheAgentEnd() {
      try {
        Files.createFile(end);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      await()
          .until(
              () -> client.runs().list(ListRuns.ALL).send().items(), EmbeddedWaitingTest::areOver);
    }
  }

  private static boolean areOver(List<RunItem> runs) {
    return runs.stream().allMatch(run -> run.state().isEnded());
  }
}
