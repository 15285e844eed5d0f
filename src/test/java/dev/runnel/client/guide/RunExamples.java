package dev.runnel.client.guide;

import dev.runnel.client.Done;
import dev.runnel.client.ListRuns;
import dev.runnel.client.LookupResult;
import dev.runnel.client.RunsClient;
import dev.runnel.client.WaitOptions;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunStateValue;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/// Examples around runs.
public final class RunExamples {
  private RunExamples() {}

  public static CreatedRun create(RunsClient client) {
    // guide: create
    var request =
        CreateRun.builder()
            .prompt("Fix the flaky checkout test")
            .title("Flaky checkout test")
            .config(AgentConfig.builder().name("tests").modelId("claude-sonnet").build())
            .metadata(Map.of("ticket", "PAY-123"))
            .build();
    var created = client.runs().create(request).send();
    System.out.println(created.runId() + " is " + created.state());
    // end
    return created;
  }

  public static void read(RunsClient client, String runId) {
    // guide: read
    var run = client.runs().get(runId).send();
    System.out.println(run.title() + " is " + run.state());

    var transcript = client.runs().transcript(runId).send();
    System.out.println(new String(transcript, StandardCharsets.UTF_8));
    // end
  }

  public static void list(RunsClient client) {
    // guide: list
    var query =
        ListRuns.ALL
            .state(RunStateValue.SUCCEEDED)
            .state(RunStateValue.FAILED)
            .metadata("ticket", "PAY-123")
            .createdAfter(Instant.now().minus(Duration.ofDays(7)))
            .sorted(ListRuns.SortBy.CREATED_AT, ListRuns.SortOrder.DESC)
            .limit(100);
    client.runs().pages(query).items().forEach(run -> System.out.println(run.title()));
    // end
  }

  public static void pageByPage(RunsClient client) {
    // guide: pageByPage
    for (var page : client.runs().pages(ListRuns.ALL.limit(50))) {
      page.items().forEach(run -> System.out.println(run.runId()));
      page.nextCursor().ifPresent(cursor -> System.out.println("more from " + cursor));
    }
    // end
  }

  public static void listAsync(RunsClient client) {
    // guide: listAsync
    CompletableFuture<Done> listed =
        client
            .runs()
            .pages(ListRuns.ALL)
            .forEachAsync(run -> System.out.println(run.runId() + " is " + run.state()));
    listed.join();
    // end
  }

  public static RunItem followUp(RunsClient client, String runId) {
    // guide: followUp
    var before = client.runs().get(runId).send();
    client.runs().followUp(runId, FollowUpMessage.of("Add a test for the retry, too")).send();
    var after = client.runs().await(runId, WaitOptions.USUAL.after(before)).send();
    // end
    return after;
  }

  public static void cancel(RunsClient client, String runId) {
    // guide: cancel
    var run = client.runs().ensureCancelled(runId).send();
    System.out.println(run.state());
    // end
  }

  public static CreatedRun createOnce(RunsClient client) {
    // guide: createOnce
    var request = CreateRun.of("Fix the flaky checkout test");
    var created = client.runs().createOnce(request, "PAY-123").send();
    // end
    return created;
  }

  public static void lookUp(RunsClient client) {
    // guide: lookUp
    switch (client.runs().lookUp("PAY-123").send()) {
      case LookupResult.Found(var run) -> System.out.println("It is run " + run.runId());
      case LookupResult.Absent absent -> System.out.println("There is none");
      case LookupResult.Unknowable unknown -> System.out.println("This service cannot tell");
    }
    // end
  }

  public static RunItem await(RunsClient client, String runId) {
    // guide: await
    var how =
        WaitOptions.USUAL
            .atMost(Duration.ofMinutes(30))
            .onProgress(run -> System.out.println("now " + run.state()));
    var run = client.runs().await(runId, how).send();

    if (run.state().isBlocked()) {
      System.out.println(run.message());
      client.runs().followUp(runId, FollowUpMessage.of("The main branch")).send();
      run = client.runs().await(runId, how.after(run)).send();
    }
    // end
    return run;
  }

  public static CompletableFuture<Done> watch(RunsClient client) {
    // guide: watch
    CompletableFuture<Done> watching =
        client
            .runs()
            .watch(ListRuns.ALL.name("tests"), Duration.ofSeconds(5))
            .forEachAsync(run -> System.out.println(run.runId() + " is " + run.state()));
    // end
    return watching;
  }

  public static void async(RunsClient client, String runId) {
    // guide: async
    CompletableFuture<RunItem> reading = client.runs().get(runId).sendAsync();
    CompletableFuture<RunItem> ending =
        client.runs().await(runId).sendAsync().orTimeout(1, TimeUnit.HOURS);
    reading.thenAccept(run -> System.out.println("reading says " + run.state())).join();
    ending.thenAccept(run -> System.out.println("waiting says " + run.state())).join();
    // end
  }
}
