package dev.runnel.runs;

import static dev.runnel.testkit.AgentRunsContract.newKey;
import static dev.runnel.testkit.AgentRunsContract.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.client.RunsClient;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog.Entry;
import dev.runnel.core.port.RunCatalog.Query;
import dev.runnel.core.port.RunCatalog.Result;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.wire.CreateRun;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The list of runs over the real embedded service.
@Tag("slow")
class ClientRunCatalogTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir Path folder;
  private EmbeddedService service;
  private RunsClient client;
  private ClientRunCatalog catalog;

  @BeforeEach
  void start() {
    service = new EmbeddedService(folder, "grep -q fail && exit 1; echo done");
    client =
        RunsClient.builder()
            .baseUrl(service.uri().resolve("/api/v1"))
            .apiKey(EmbeddedService.KEY)
            .maxRetries(0)
            .build();
    catalog = new ClientRunCatalog(client);
  }

  @AfterEach
  void stop() {
    client.close();
    service.close();
  }

  private static Query query(String words, Set<RunState> states, Optional<String> cursor) {
    return new Query(
        words,
        states,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Set.of(),
        Set.of(),
        cursor,
        2);
  }

  private Result.Listed find(String words, Set<RunState> states, Optional<String> cursor) {
    return (Result.Listed) catalog.find(query(words, states, cursor));
  }

  private static List<String> titles(Result.Listed listed) {
    return listed.entries().stream().map(Entry::run).map(run -> run.title()).toList();
  }

  @Test
  void catalogFindsRunsByStateAndTextPageByPageNewestFirst() {
    var runs = new ClientAgentRuns(client, true);
    for (var text : List.of("please fail", "say hello", "say goodbye")) {
      var _ = runs.start(prompt(text), newKey());
    }
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                find("", Set.of(RunState.SUCCEEDED), Optional.empty()).entries().size() == 2
                    && find("", Set.of(RunState.FAILED), Optional.empty()).entries().size() == 1);

    var first = find("", Set.of(), Optional.empty());
    var rest = find("", Set.of(), first.next());

    assertThat(first.entries()).hasSize(2);
    assertThat(first.entries())
        .allMatch(it -> it.createdAt().isPresent() && !it.source().isEmpty());
    assertThat(rest.entries()).hasSize(1);
    assertThat(rest.next()).isEmpty();
    assertThat(rest.entries().getFirst().run().state()).isEqualTo(RunState.FAILED);
    assertThat(titles(find("goodbye", Set.of(), Optional.empty()))).hasSize(1);
    assertThat(find("goodbye", Set.of(RunState.FAILED), Optional.empty()).entries()).isEmpty();
  }

  @Test
  void catalogFindsTheRunsOfAPlaceAndOfAnIssuePageByPage() {
    var runs = new ClientAgentRuns(client, true);
    for (int i = 1; i <= 5; i++) {
      var place = i == 3 ? "github:acme/other" : "github:acme/shop";
      var prompt = prompt("issue " + i);
      var metadata = new HashMap<>(prompt.metadata());
      metadata.put("runnel.place", place);
      metadata.put("runnel.conversation", place + "#" + i);
      var _ =
          runs.start(
              new Prompt(
                  prompt.text(),
                  prompt.title(),
                  prompt.options(),
                  metadata,
                  prompt.attachments(),
                  prompt.base()),
              newKey());
    }

    var shop = Set.of("github:acme/shop", "gitlab:acme/shop");
    var first = in(shop, Set.of(), Optional.empty());
    var rest = in(shop, Set.of(), first.next());
    assertThat(titles(first)).hasSize(2);
    assertThat(titles(rest)).hasSize(2).doesNotContainAnyElementsOf(titles(first));
    assertThat(rest.next()).isEmpty();
    assertThat(in(Set.of(), Set.of("github:acme/other#3"), Optional.empty()).entries()).hasSize(1);
    assertThat(in(Set.of("github:acme"), Set.of(), Optional.empty()).entries()).isEmpty();
  }

  private Result.Listed in(Set<String> places, Set<String> conversations, Optional<String> cursor) {
    return (Result.Listed)
        catalog.find(
            new Query(
                "",
                Set.of(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                places,
                conversations,
                cursor,
                2));
  }

  @Test
  void catalogShowsTheConfiguredNameOfTheAgentInsteadOfOz() {
    var run =
        ((Outcome.Done) new ClientAgentRuns(client, true).start(prompt("say hello"), newKey()))
            .run();

    var named = new ClientRunCatalog(client, "command");

    assertThat(named.details(run.id()).orElseThrow().entry().agent()).isEqualTo("command");
    assertThat(catalog.details(run.id()).orElseThrow().entry().agent()).isEqualTo("oz");
  }

  @Test
  void catalogDetailsHaveTimesExecutionsAndChildrenOfARun() {
    var runs = new ClientAgentRuns(client, true);
    var run = ((Outcome.Done) runs.start(prompt("please fail"), newKey())).run();
    var child =
        client
            .runs()
            .create(CreateRun.builder().prompt("say hello").parentRunId(run.id().value()).build())
            .send();
    await()
        .atMost(PATIENCE)
        .until(() -> catalog.details(run.id()).flatMap(it -> it.finishedAt()).isPresent());

    var details = catalog.details(run.id()).orElseThrow();

    assertThat(details.startedAt()).isPresent();
    assertThat(details.executions())
        .singleElement()
        .matches(it -> it.number() == 1 && it.end().equals(Optional.of(RunState.FAILED)))
        .matches(it -> it.claimedAt().isPresent() && it.endedAt().isPresent());
    assertThat(details.children())
        .singleElement()
        .matches(it -> it.run().id().value().equals(child.runId()));
    assertThat(catalog.details(new RunId(child.runId())).orElseThrow().parent()).contains(run.id());
    assertThat(catalog.details(new RunId("nope"))).isEmpty();
    assertThat(catalog.fileLink("nope")).isEmpty();
  }

  @Test
  void catalogReportsAnUnavailableListInsteadOfThrowing() {
    assertThat(catalog.find(query("", Set.of(), Optional.of("no cursor"))))
        .isEqualTo(new Result.Unavailable("The run service does not understand this filter."));

    service.close();

    assertThat(catalog.find(query("", Set.of(), Optional.empty())))
        .isInstanceOf(Result.Unavailable.class);
  }
}
