package dev.runnel.console;

import static dev.runnel.testkit.Samples.DANA;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.console.view.About;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.RunStatistics.Fact;
import dev.runnel.core.port.Store.Starts.Start;
import dev.runnel.testkit.SettableClock;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NumbersTest {
  private static final Conversation SLACK = Conversation.parse("slack:T1/C1/1700000000.000100");

  @TempDir Path folder;
  private final SettableClock clock = new SettableClock();
  private final HttpClient client = HttpClient.newHttpClient();
  private Site site;

  @BeforeEach
  void open() {
    site =
        new Site(
            folder,
            clock,
            null,
            new About("claude -p", List.of(Site.slack(true))),
            Site.streams(3, Duration.ofMillis(20), Duration.ofMillis(60)),
            0);
  }

  @AfterEach
  void close() {
    site.close();
    client.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return client.send(
        HttpRequest.newBuilder(site.at(path)).header("Cookie", site.signedIn()).build(),
        BodyHandlers.ofString());
  }

  private Fact fact(RunState state, int queueSeconds, int workSeconds, long micros, String model) {
    var at = clock.instant().minus(Duration.ofHours(1));
    return new Fact(
        at,
        Optional.of(at.plusSeconds(queueSeconds)),
        Duration.ofSeconds(workSeconds),
        state,
        "SLACK",
        "shop",
        model,
        micros);
  }

  private void starts(String person, String place, int number) {
    Run run = site.binds(SLACK, DANA, "Fix the test", null);
    for (int i = 0; i < number; i++) {
      site.counts(
          new Start(new DeliveryId(person + "-" + i), person, place, "shop", clock.instant()), run);
    }
  }

  @Test
  void numbersPageCountsRunsOutcomesTimesAndCosts() throws Exception {
    var facts = new ArrayList<Fact>();
    for (int i = 1; i <= 20; i++) {
      facts.add(fact(i <= 15 ? RunState.SUCCEEDED : RunState.FAILED, i, 60 * i, 500_000, "opus"));
    }
    facts.add(fact(RunState.BLOCKED, 1, 5, 0, "sonnet"));
    site.facts = facts;

    var page = get("/numbers").body();

    assertThat(page)
        .contains("<dd>21</dd>", "<dd>75 %</dd>", "15 finished, 5 failed, 0 stopped", "$10.00")
        .contains("<dd>1</dd>") // waits for a person
        .contains("95 % within 19 min", "<dd>10 min</dd>")
        .contains("href=\"/runs?model=opus\"", ">sonnet<", ">shop<", ">Slack<");
  }

  @Test
  void plotsAreDrawnOnTheServerWithoutInlineStyles() throws Exception {
    site.facts = List.of(fact(RunState.SUCCEEDED, 1, 60, 10_000_000, "opus"));

    assertThat(get("/numbers?days=7").body())
        .contains(
            "aria-label=\"Runs per day, up to 1 runs\"", "class=\"good\"", "1 finished</title>")
        .doesNotContain("style=");
  }

  @Test
  void numbersAreSummedByPersonChannelAndRepository() throws Exception {
    starts("slack:U1", "slack:T1/C1", 3);
    starts("github:sam", "github:acme/shop", 1);

    assertThat(get("/numbers").body())
        .contains("title=\"slack:U1\">" + DANA.name() + "<", ">slack:T1/C1<", ">github:acme/shop<");
  }

  @Test
  void numbersPageShowsTheRemainingBudgets() throws Exception {
    starts("slack:U1", "slack:T1/C1", 3);
    site.policy =
        new Policy(
            Map.of(),
            List.of(),
            List.of(),
            List.of(
                new Budget(
                    "policy.budgets[0]",
                    Budget.Per.PERSON,
                    Budget.Period.DAY,
                    Optional.of(3L),
                    Optional.empty(),
                    Optional.empty()),
                new Budget(
                    "policy.budgets[1]",
                    Budget.Per.ALL,
                    Budget.Period.DAY,
                    Optional.of(100L),
                    Optional.empty(),
                    Optional.empty())));

    assertThat(get("/numbers").body())
        .contains("3 of 3 runs a day, used up", "everybody", "3 of 100 runs a day");
  }

  @Test
  void csvExportEscapesFormulasForSpreadsheets() throws Exception {
    site.facts =
        List.of(
            fact(RunState.SUCCEEDED, 1, 60, 1_500_000, "=cmd|'/c calc'!A1"),
            fact(RunState.FAILED, 1, 60, 0, "a,\"b\""));

    var csv = get("/numbers.csv?by=model&days=30");

    assertThat(csv.headers().firstValue("Content-Disposition").orElseThrow())
        .contains("runs-by-model.csv");
    assertThat(csv.body().lines())
        .containsExactlyInAnyOrder(
            "model,name,runs,finished,failed,stopped,seconds,cost",
            "'=cmd|'/c calc'!A1,'=cmd|'/c calc'!A1,1,1,0,0,60,1.500000",
            "\"a,\"\"b\"\"\",\"a,\"\"b\"\"\",1,0,1,0,60,");
    assertThat(get("/numbers.csv?by=nothing").statusCode()).isEqualTo(400);
  }

  @Test
  void numbersPageIsEmptyBeforeTheFirstRunAndRequiresSignIn() throws Exception {
    assertThat(get("/numbers").body()).contains("nothing yet").doesNotContain("NaN");
    assertThat(
            client
                .send(
                    HttpRequest.newBuilder(site.at("/numbers")).build(), BodyHandlers.discarding())
                .statusCode())
        .isEqualTo(401);
  }
}
