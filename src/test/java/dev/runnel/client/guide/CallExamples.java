package dev.runnel.client.guide;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.FollowUpMessage;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import java.time.Duration;
import java.util.Map;

/// Examples of what each call can do.
public final class CallExamples {
  private CallExamples() {}

  public static void errors(RunsClient client, String runId) {
    // guide: errors
    try {
      client.runs().followUp(runId, FollowUpMessage.of("Add a test, too")).send();
    } catch (RunsException failure) {
      System.out.println(
          switch (failure) {
            case RunsException.NotFound missing -> "There is no such run";
            case RunsException.TooMany full ->
                "Full; again in " + full.retryAfter().orElse(Duration.ofMinutes(1));
            case RunsException.ServiceError no
                when no.code().equals(ErrorCode.INSUFFICIENT_CREDITS) ->
                "No credits left";
            case RunsException.ServiceError no -> "It said no: " + no.getMessage();
            case RunsException.TransportError lost when lost.mayHaveHappened() ->
                "Perhaps it was heard: read the run before saying it again";
            case RunsException.TransportError lost -> "It was not heard: " + lost.getMessage();
            case RunsException.MalformedResponse odd -> "Who answered? " + odd.getMessage();
          });
    }
    // end
  }

  public static void callOptions(RunsClient client) {
    // guide: callOptions
    client
        .runs()
        .create(CreateRun.of("Fix the flaky checkout test"))
        .withOptions(
            options ->
                options
                    .withDeadline(Duration.ofSeconds(10))
                    .withMaxRetries(0)
                    .withTeam("team-7")
                    .withHeader("X-Ticket", "PAY-123")
                    .withoutHeader("X-Caller")
                    .withQuery("dry_run", "true")
                    .withBodyMember("priority", IntNode.valueOf(3)))
        .send();
    // end
  }

  public static RunsClient sharedClient(RunsClient client) {
    // guide: sharedClient
    var patient = client.withOptions(options -> options.withDeadline(Duration.ofMinutes(5)));
    // end
    return patient;
  }

  public static RunItem raw(RunsClient client, String runId) {
    // guide: raw
    var answer = client.runs().get(runId).withRawResponse().send();
    System.out.println(answer.status() + ", asked " + answer.attempts() + " times");
    System.out.println(answer.headers().firstValue("Content-Type").orElse("no type"));
    System.out.println(answer.json().path("state").asText());
    var run = answer.parse();
    // end
    return run;
  }

  public static void streamed(RunsClient client, String runId) {
    // guide: streamed
    try (var transcript = client.runs().transcript(runId).withStreamedBody().send()) {
      transcript.lines().forEach(System.out::println);
    }
    // end
  }

  public static RunPage anyAddress(RunsClient client, String runId) {
    // guide: anyAddress
    var stars = client.post("/agent/runs/" + runId + "/stars", Map.of("count", 5)).send();
    System.out.println(stars.path("count").asInt());

    var page =
        client
            .get("/agent/runs")
            .withOptions(options -> options.withQuery("starred", "true"))
            .as(RunPage.class)
            .send();
    // end
    return page;
  }

  public static void unknown(RunsClient client, String runId) {
    // guide: unknown
    var run = client.runs().get(runId).send();
    if (!run.state().isEnded() && !run.state().isUnderWay()) {
      System.out.println("Neither working nor over: " + run.state().value());
    }
    if (run.more().get("stars") instanceof IntNode stars) {
      System.out.println("Stars: " + stars.asInt());
    }
    // end
  }

  public static void nullOrAbsent(RunsClient client, String runId) {
    // guide: nullOrAbsent
    var json = client.runs().get(runId).withRawResponse().send().json();
    System.out.println(json.has("title") ? json.get("title") : "no title at all");

    var request =
        CreateRun.builder()
            .prompt("Fix the flaky checkout test")
            .more(Map.of("title", NullNode.getInstance()))
            .build();
    // end
    client.runs().create(request).send();
  }

  public static RunItem strict(RunsClient client, String runId) {
    // guide: strict
    var run = client.runs().get(runId).withOptions(options -> options.withStrict(true)).send();
    // end
    return run;
  }
}
