package dev.runnel.surface.slack;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.testkit.Samples;
import dev.runnel.text.PlanReply;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// Updates to render.
public final class SlackUpdates {
  public static final Actor ANN = new Actor("U0ANN", "ann");
  static final Request REQUEST = Request.of("fix the flaky checkout test");
  public static final Instant SINCE = Instant.parse("2026-01-05T09:00:00Z");

  private SlackUpdates() {}

  /// A run, written fluently.
  public record Draft(
      String title,
      RunState state,
      String stateName,
      Optional<String> text,
      Optional<URI> session,
      List<Artifact> artifacts,
      Optional<String> cost) {
    public Draft message(String message) {
      return new Draft(title, state, stateName, Optional.of(message), session, artifacts, cost);
    }

    public Draft titled(String other) {
      return new Draft(other, state, stateName, text, session, artifacts, cost);
    }

    public Draft in(RunState other, String name) {
      return new Draft(title, other, name, text, session, artifacts, cost);
    }

    public Draft at(String address) {
      return new Draft(
          title, state, stateName, text, Optional.of(URI.create(address)), artifacts, cost);
    }

    public Draft made(Artifact... made) {
      return new Draft(title, state, stateName, text, session, List.of(made), cost);
    }

    public Draft costs(String price) {
      return new Draft(title, state, stateName, text, session, artifacts, Optional.of(price));
    }

    public Run run() {
      return Samples.run(
          new RunId("0190e6a1-9f50-7c3e-8a43-000000000001"),
          title,
          state,
          stateName,
          text,
          true,
          session,
          artifacts,
          cost,
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }
  }

  /// Where and with what a run works, as far as the service says it.
  static Run located(Run run) {
    return run.withEnvironment(Optional.of("staging")).withModel(Optional.of("fast-model"));
  }

  /// An end with what the service observed.
  private static Update.Succeeded receipt(Optional<Evidence.Mismatch> mismatch, int exit) {
    var tests = List.of(new Evidence.TestRun("mvn -q test -pl checkout", Optional.of(exit)));
    var evidence = new Evidence(2, 1, Optional.of(tests), mismatch);
    var run =
        done()
            .message("I pass the clock to `Checkout` now. All tests pass.")
            .run()
            .with(it -> it.evidence(Optional.of(evidence)));
    return new Update.Succeeded(run, ANN, SINCE, SINCE.plusSeconds(200));
  }

  public static Update.Succeeded succeeded(String answer) {
    return new Update.Succeeded(done().message(answer).run(), ANN, SINCE, SINCE.plusSeconds(200));
  }

  public static Draft running() {
    return new Draft(
            "Fix the flaky checkout test",
            RunState.RUNNING,
            "INPROGRESS",
            Optional.empty(),
            Optional.empty(),
            List.of(),
            Optional.empty())
        .at("https://runnel.example.com/runs/0190e6a1-9f50-7c3e-8a43-000000000001");
  }

  public static Draft done() {
    return running()
        .in(RunState.SUCCEEDED, "SUCCEEDED")
        .costs("$1.25")
        .made(
            new Artifact(
                "acme/shop#7 (fix-checkout)",
                URI.create("https://github.com/acme/shop/pull/7?a=1&b=2"),
                true))
        .message(
            """
            ## What I did

            The test **failed** because the clock was `real`. See [the fix](https://github.com/acme/shop/pull/7) & <script>.

            - moved the clock
              - in *one* place
            - [x] ran the tests

            | test | time |
            |------|------|
            | a<b  | 3 s  |

            ```java
            if (a < b && c) { "**not bold**"; }
            ```
            Thanks <@U0BOB> <!channel> @here, 1. https://example.com/a_b(c).\
            """);
  }

  public static Update.Status status(Draft draft, Duration after) {
    return new Update.Status(draft.run(), ANN, REQUEST, SINCE, SINCE.plus(after));
  }

  static final StopRequest STOP =
      StopRequest.asked(new Actor("U0BOB", "bob"), SINCE.plusSeconds(30));

  public static Binding binding(Draft draft) {
    return Samples.binding(
        new SlackPlace("T0ACME", "C0DEV", "1795240915.000008").conversation(),
        draft.run(),
        ANN,
        REQUEST,
        Origin.NONE,
        Optional.empty(),
        SINCE,
        false,
        1);
  }

  /// One of each kind that is a post, and of each state.
  public static Map<String, Update> all() {
    Map<String, Update> all = new LinkedHashMap<>();
    var soon = Duration.ofSeconds(200);
    all.put("status-queued", status(running().in(RunState.QUEUED, "QUEUED"), Duration.ZERO));
    all.put(
        "status-running",
        new Update.Status(
            located(running().message("Reading `Checkout.java`\nand more").costs("$0.42").run()),
            ANN,
            REQUEST,
            SINCE,
            SINCE.plus(soon)));
    all.put("status-blocked", status(running().in(RunState.BLOCKED, "BLOCKED"), soon));
    all.put("status-unknown", status(running().in(RunState.UNKNOWN, "HIBERNATING"), soon));
    all.put("status-succeeded", status(done(), Duration.ofMinutes(125)));
    all.put("status-failed", status(running().in(RunState.FAILED, "ERROR"), soon));
    all.put("status-cancelled", status(running().in(RunState.CANCELLED, "CANCELLED"), soon));
    all.put(
        "blocked",
        new Update.Blocked(
            running().in(RunState.BLOCKED, "BLOCKED").run(),
            ANN,
            "Shall I *delete* the `legacy` table?"));
    all.put(
        "blocked-choices",
        asks("Which database shall it be?\n\n- **Postgres**\n- SQLite\n- A <file>"));
    all.put(
        "blocked-long-choices",
        asks(
            """
            Which way?
            1. Keep the table, and write a migration that fills the new column from it
            2. Drop it\
            """));
    all.put(
        "blocked-plan",
        asks(
            """
            ## Plan

            1. Reproduce the failure with a fixed clock in `CheckoutTest`
            2. Pass the clock to `Checkout` instead of reading the time of the machine
            3. Run the tests of the module, and open a pull request

            Two files change. The public API stays as it is.

            """
                + PlanReply.QUESTION));
    all.put(
        "question-closed",
        new Update.QuestionClosed(
            running().in(RunState.BLOCKED, "BLOCKED").run(),
            "Which database shall it be?\n\n- **Postgres**\n- SQLite",
            Optional.of("Postgres, <!channel> please"),
            Optional.of(ANN)));
    all.put(
        "question-closed-by-nobody",
        new Update.QuestionClosed(
            running().in(RunState.BLOCKED, "BLOCKED").run(),
            "Which database?",
            Optional.empty(),
            Optional.empty()));
    all.put("succeeded", new Update.Succeeded(done().run(), ANN, SINCE, SINCE.plus(soon)));
    all.put("succeeded-receipt", receipt(Optional.empty(), 0));
    all.put("succeeded-receipt-mismatch", receipt(Optional.of(Evidence.Mismatch.FAILED), 1));
    all.put("succeeded-long", succeeded("A long line of an answer.\n".repeat(500)));
    all.put(
        "succeeded-without-words",
        new Update.Succeeded(done().message("").run(), ANN, SINCE, SINCE.plus(soon)));
    all.put(
        "failed",
        new Update.Failed(
            running().in(RunState.FAILED, "ERROR").run(),
            ANN,
            "The environment could not be set up: `npm install` failed.",
            true));
    all.put(
        "failed-for-good",
        new Update.Failed(
            running().in(RunState.FAILED, "FAILED").run(),
            ANN,
            "There are no credits left.",
            false));
    all.put(
        "failed-over-budget",
        new Update.Failed(
            running().in(RunState.FAILED, "FAILED").run().withIsOverBudget(true),
            ANN,
            "The agent was stopped: its run has cost $5.02, and one run may cost $5.00.",
            false));
    all.put(
        "cancelled",
        new Update.Cancelled(running().in(RunState.CANCELLED, "CANCELLED").run(), ANN));
    all.put(
        "status-stopping",
        new Update.Status(
            running().run(), ANN, REQUEST, SINCE, SINCE.plus(soon), Optional.of(STOP)));
    all.put(
        "cancelled-by",
        new Update.Cancelled(
            running().in(RunState.CANCELLED, "CANCELLED").run(),
            ANN,
            Optional.of(STOP.doneAt(SINCE.plusSeconds(90)).withUnsent(List.of("a", "b")))));
    all.put(
        "cancelled-unread",
        new Update.Cancelled(
            running().in(RunState.CANCELLED, "CANCELLED").run(),
            ANN,
            Optional.of(STOP.doneAt(SINCE.plusSeconds(90))),
            List.of("run the <linter>", "<!channel> what does this do?")));
    all.put(
        "reminder",
        new Update.Reminder(
            running().in(RunState.BLOCKED, "BLOCKED").run(),
            ANN,
            "Shall I *delete* the `legacy` table?\n<!channel> please",
            2,
            SINCE,
            SINCE.plus(Duration.ofHours(4))));
    all.put(
        "told",
        new Update.Message(ANN, "Passed on: `a < b`. See https://example.com/x?y=1&z=2.", true));
    all.put(
        "listed",
        new Update.Listed(
            ANN,
            List.of(
                binding(running()),
                binding(done().titled("")),
                binding(running().in(RunState.UNKNOWN, "HIBERNATING")))));
    all.put("listed-none", new Update.Listed(ANN, List.of()));
    all.put(
        "listed-more",
        new Update.Listed(
            ANN,
            List.of(binding(running())),
            Optional.of(new Update.Listing("slack:T0ACME/C0DEV", false, 12, "list all", 3))));
    all.put(
        "answered",
        new Update.Answered(
            ANN,
            new InfoCard(
                "Defaults <for> *you*",
                List.of(
                    InfoCard.Row.of("Model", "fast", "set here"),
                    InfoCard.Row.of("Prompt", "a <@U1> `b`\nsecond line"),
                    InfoCard.Row.sentence("See https://example.com/x?y=1&z=2 .")),
                List.of(new InfoCard.Next("Set one", "config set model fast")))));
    all.put(
        "answered-stoppable",
        new Update.Answered(
            ANN,
            InfoCard.sentence("I passed this on. To stop the run:")
                .withStoppable(
                    List.of(
                        new InfoCard.Stoppable(
                            new RunId("7b3f0c1e-1111-4222-8333-444455556666"),
                            "⚙️ Running",
                            "Fix <the> `test`")))));
    all.put("helped", new Update.Helped(ANN));
    return all;
  }

  public static Update received() {
    return new Update.Received(new PostRef("C0DEV/1795240915.000008"));
  }

  private static Update asks(String question) {
    var run = running().in(RunState.BLOCKED, "BLOCKED").run();
    return new Update.Blocked(run.withMessage(Optional.of(question)), ANN, question);
  }
}
