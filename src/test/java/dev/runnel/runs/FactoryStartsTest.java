package dev.runnel.runs;

import static dev.runnel.testkit.AgentRunsContract.done;
import static dev.runnel.testkit.AgentRunsContract.newKey;
import static dev.runnel.testkit.AgentRunsContract.startedBy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.client.RunsClient;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.service.run.Factory;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.testkit.FaultyProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// `--factory`: the work goes to the foreman of a factory, in the real embedded service.
@Tag("slow")
class FactoryStartsTest {
  private static final Factory SHOP =
      new Factory(
          "shop-1",
          "Shop Floor",
          Optional.of("floor"),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          new Factory.Member(
              "lead",
              Optional.of("You lead the shop."),
              Optional.empty(),
              Optional.empty(),
              Optional.empty()),
          List.of());

  @TempDir Path folder;
  private EmbeddedService service;
  private FaultyProxy proxy;
  private RunsClient client;
  private ClientAgentRuns runs;

  @BeforeEach
  void open() throws IOException {
    service = new EmbeddedService(folder, "cat > /dev/null; sleep 60", List.of(SHOP));
    proxy = new FaultyProxy(service.uri());
    client =
        RunsClient.builder()
            .baseUrl(proxy.uri("/api/v1"))
            .apiKey(EmbeddedService.KEY)
            .deadline(Duration.ofSeconds(10))
            .maxRetries(0)
            .build();
    runs = new ClientAgentRuns(client, false);
  }

  @AfterEach
  void close() {
    client.close();
    proxy.close();
    service.close();
  }

  private static Prompt forFactory(String name) {
    return new Prompt(
        "Fix the test",
        "Fix it",
        new RunOptions(
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.of(name)),
        Map.of("runnel.link", "https://acme.slack.com/archives/C0DEV/p1"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shop-1", "shop floor", "FLOOR"})
  void aFactoryIsNamedByItsUidItsNameOrItsAlias(String name) {
    var run = done(runs.start(forFactory(name), newKey()));

    var item = client.runs().get(run.id().value()).send();
    assertThat(item.factoryUid()).isEqualTo("shop-1");
    assertThat(item.prompt()).isEqualTo("Fix the test");
    assertThat(item.title()).isEqualTo("Fix it");
    assertThat(item.metadata())
        .containsEntry("ticket_url", "https://acme.slack.com/archives/C0DEV/p1");
  }

  @Test
  void runOfAFactoryIsFoundByItsDelivery() {
    var key = newKey();

    var run = done(runs.start(forFactory("shop-1"), key));

    assertThat(run.delivery()).contains(key);
    assertThat(done(startedBy(runs, key)).id()).isEqualTo(run.id());
    assertThat(startedBy(runs, newKey())).isEqualTo(new Outcome.Missing());
  }

  @Test
  void aDispatchWhoseAnswerWasLostIsFound() {
    var key = newKey();
    proxy.spoil(FaultyProxy.Fault.BAD_GATEWAY);

    assertThat(runs.start(forFactory("shop-1"), key)).isInstanceOf(Outcome.Unavailable.class);

    assertThat(done(startedBy(runs, key)).delivery()).contains(key);
  }

  @Test
  void unknownFactoryIsReportedAndNothingStarts() {
    var key = newKey();

    assertThat(runs.start(forFactory("warehouse"), key))
        .isInstanceOfSatisfying(
            Outcome.Refused.class,
            refused -> assertThat(refused.why()).contains("There is no factory `warehouse`"));
    assertThat(startedBy(runs, key)).isEqualTo(new Outcome.Missing());
  }
}
