package dev.runnel.console;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;

import dev.runnel.console.detail.RunFacts;
import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.view.About;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.AuditEntry.Verb;
import dev.runnel.core.model.AuditEntry.Verdict;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.ApprovalRule;
import dev.runnel.core.policy.Budget;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.RunCatalog.Details;
import dev.runnel.core.port.RunCatalog.Execution;
import dev.runnel.core.port.RunStatistics.Fact;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.port.Store.Approvals.State;
import dev.runnel.core.text.RunTexts;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/// Serves the console with sample runs, to look at it in a browser. The first argument is the port,
/// the second `empty` for a console without runs.
public final class Look {
  private Look() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    var port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 0;
    var empty = arguments.length > 1 && arguments[1].equals("empty");
    var about =
        empty
            ? new About("rehearsal", List.of(Site.slack(false)))
            : new About("claude -p", List.of(Site.slack(true), Site.GITHUB));
    var folder = Files.createTempDirectory("runnel-look");
    try (var site =
        new Site(
            folder,
            InstantSource.system(),
            "secret",
            about,
            Site.streams(50, Duration.ofMillis(500), Duration.ofSeconds(10)),
            port)) {
      if (!empty) {
        fill(site);
      }
      System.out.println(site.link());
      for (int second = 1; ; second++) {
        Thread.sleep(500);
        site.settles();
        for (var run : site.runs.runs()) {
          if (run.state() == RunState.QUEUED) {
            site.runs.moves(run.id(), RunState.RUNNING, "Reading the code");
            site.says(run, Kind.ASKED, run.title());
          } else if (run.state() == RunState.RUNNING && second % 4 == 0) {
            site.says(run, Kind.SAID, "Still at it, step " + second / 4 + ".");
          }
        }
      }
    }
  }

  /// The pages of a console that was filled, by name.
  static Map<String, String> pages(Site site) {
    var pages = new LinkedHashMap<String, String>();
    pages.put("start", "/");
    pages.put("runs", "/runs");
    pages.put("runs-filtered", "/runs?q=Checkout&state=succeeded&who=user-7&model=opus");
    pages.put("runs-none", "/runs?q=nothing-like-this");
    Map.of(
            "run", "Checkout fails",
            "run-failed", "Upgrade the payment client",
            "run-waiting", "Rename the customer table",
            "run-working", "Fix the flaky test",
            "run-stopped", "Try the new date library",
            "run-of-api", "Write the report of the night")
        .forEach((name, title) -> pages.put(name, path(site, title)));
    pages.put("run-searched", path(site, "Checkout fails") + "?q=module");
    pages.put("run-missing", "/runs/nope");
    pages.put("shared", site.shared(run(site, "Checkout fails")));
    pages.put("numbers", "/numbers");
    pages.put("attention", "/attention");
    pages.put("operation", "/operation");
    pages.put("agents", "/operation/agents");
    pages.put("settings", "/operation/settings");
    pages.put("policy", "/operation/policy?who=slack:T1/U2&verb=start&where=slack:T1/C1");
    pages.put("audit", "/audit");
    pages.put("audit-none", "/audit?person=nobody");
    pages.put("sign-in", "/enter");
    pages.put("sign-in-by-link", "/enter?link=once");
    return pages;
  }

  private static Run run(Site site, String title) {
    return site.runs.runs().stream()
        .filter(it -> it.title().startsWith(title))
        .findFirst()
        .orElseThrow();
  }

  private static String path(Site site, String title) {
    return RunFacts.path(run(site, title).id());
  }

  /// Runs of a month, the more the later.
  static List<Fact> facts(Instant now) {
    var random = new Random(3);
    var facts = new ArrayList<Fact>();
    for (int i = 0; i < 900; i++) {
      var at = now.minus(Duration.ofMinutes((long) (Math.pow(random.nextDouble(), 1.6) * 43_000)));
      var state =
          random.nextInt(10) < 8
              ? RunState.SUCCEEDED
              : random.nextInt(3) == 0 ? RunState.CANCELLED : RunState.FAILED;
      facts.add(
          new Fact(
              at,
              Optional.of(at.plusMillis(400 + random.nextInt(9_000))),
              Duration.ofSeconds(30 + (long) Math.abs(random.nextGaussian() * 600)),
              i < 3 ? RunState.BLOCKED : state,
              List.of("SLACK", "GITHUB_WEBHOOK", "API").get(random.nextInt(3)),
              List.of("shop", "billing", "").get(random.nextInt(3)),
              List.of("opus", "sonnet").get(random.nextInt(2)),
              random.nextInt(900_000)));
    }
    facts.sort(Comparator.comparing(Fact::createdAt));
    return facts;
  }

  private static Details details(Site site, Run run, Instant now) {
    var child = site.runs.addsStranger("Look for the same mistake in the other shops");
    site.runs.moves(child.id(), RunState.SUCCEEDED, "There is none.");
    var start = now.minus(Duration.ofMinutes(52));
    return new Details(
        site.entry(site.runs.run(run.id())),
        Optional.of(start.plusSeconds(4)),
        Optional.of(start.plusSeconds(900)),
        Optional.empty(),
        List.of(
            new Execution(
                1,
                Optional.of(start.plusSeconds(2)),
                Optional.of(start.plusSeconds(4)),
                Optional.of(start.plusSeconds(640)),
                Optional.of(RunState.SUCCEEDED)),
            new Execution(
                2,
                Optional.of(start.plusSeconds(820)),
                Optional.of(start.plusSeconds(822)),
                Optional.of(start.plusSeconds(900)),
                Optional.of(RunState.SUCCEEDED))),
        List.of(site.entry(site.runs.run(child.id()))),
        List.of(new RunCatalog.File("f1", "coverage.html", false, 48_211)));
  }

  private static void audit(Site site, Instant now) {
    var verbs = List.of(Verb.values());
    var verdicts = List.of(Verdict.values());
    for (int i = 0; i < 70; i++) {
      var verb = verbs.get(i % verbs.size());
      var id = i % 3 == 0 ? "slack:U012345" : "github:sam-with-a-long-name";
      var surface = new SurfaceId(i % 3 == 0 ? "slack" : "github");
      site.audits(
          AuditEntry.of(
                  now.minus(Duration.ofMinutes(100 - i)),
                  new AuditEntry.Person(
                      id, i % 3 == 0 ? "dana" : "sam", Optional.empty(), surface, Optional.empty()),
                  verb,
                  i % 5 == 0 ? "<b>Fix</b> the flaky test, then " + "very ".repeat(20) : "a run")
              .in(new Conversation(surface, "T1/C1/1700000000.000100"))
              .about(new RunId("7b3f1c2e-1111-4222-8333-944455556666"))
              .decided(verdicts.get(i % verdicts.size()), "policy.rules[0]"));
    }
  }

  private static Policy policy() {
    return new Policy(
        Map.of(
            "platform", List.of("slack:T1/U1", "github:acme/platform-engineering"),
            "everybody", List.of("slack:members")),
        List.of(
            new Rule(
                "policy.rules[0]",
                List.of("platform"),
                List.of("*"),
                EnumSet.allOf(Permission.class),
                true,
                Set.of(),
                Set.of()),
            new Rule(
                "policy.rules[1]",
                List.of("everybody"),
                List.of("slack:T1/C1", "github:acme/shop"),
                EnumSet.of(Permission.START, Permission.READ, Permission.SAY),
                true,
                Set.of("web"),
                Set.of("opus", "sonnet"))),
        List.of(
            new ApprovalRule(
                "policy.approve[0]",
                List.of("slack:T1/C2"),
                Set.of(),
                Set.of("opus"),
                false,
                List.of("platform"),
                true,
                Duration.ofHours(24))),
        List.of(
            new Budget(
                "policy.budgets[0]",
                Budget.Per.ALL,
                Budget.Period.DAY,
                Optional.of(100L),
                Optional.empty(),
                Optional.empty())));
  }

  /// Adds sample runs of all states.
  static void fill(Site site) {
    var now = Instant.now();
    site.facts = facts(now);
    var slack = new SurfaceId("slack");
    var github = new SurfaceId("github");
    var dana = new Actor("U1", "dana");
    var sam = new Actor("U2", "sam");
    var slackLink = "https://acme.slack.com/archives/C1/p1700000000000100";

    site.policy = policy();
    audit(site, now);
    site.asksFor(
        new Approval(
            "1a2b3c4d",
            new DeliveryId("slack:a"),
            new Conversation(slack, "T1/C2/4"),
            sam,
            "policy.approve[0]",
            List.of("platform"),
            true,
            Request.of("Deploy the shop to production, and tell the team when it is there"),
            now.minus(Duration.ofMinutes(7)),
            now.plus(Duration.ofHours(23)),
            State.WAITING,
            Optional.empty()));
    site.givesUp(
        delivery(
            "1",
            say("Please also rename the table in the reports"),
            new Conversation(slack, "T1/C1/9")),
        "java.lang.IllegalStateException: no such profile");
    site.givesUp(
        new Notice(
            new NoticeId("n1"),
            new Conversation(github, "acme/shop#12"),
            new Update.Message(dana, RunTexts.GONE, false),
            new Origin(
                Optional.of(URI.create("https://github.com/acme/shop/issues/12")),
                Optional.empty(),
                Optional.empty(),
                false),
            now,
            1),
        "GitHub answers 410: the issue was deleted.");

    var nightly = site.runs.addsStranger("Write the report of the night");
    site.says(nightly, Kind.ASKED, nightly.title());
    site.runs.moves(
        nightly.id(),
        RunState.BLOCKED,
        "Two orders have no customer. What should the report say?\n\n1. Leave them out\n2. List"
            + " them at the end");

    var stopped = site.runs.addsStranger("Try the new date library in the calendar");
    site.runs.moves(stopped.id(), RunState.CANCELLED, "Stopped by sam");
    site.binds(
        new Conversation(slack, "T1/C1/5"),
        sam,
        site.runs.run(stopped.id()),
        slackLink,
        now.minus(Duration.ofHours(30)));

    var failed =
        site.runs.addsStranger(
            "Upgrade the payment client to version 9 everywhere it is used, including the nightly"
                + " reconciliation job");
    site.says(failed, Kind.ASKED, failed.title());
    site.says(failed, Kind.SAID, "I look where the client is used.");
    site.says(
        failed,
        Kind.ERROR,
        "fatal: could not read Username for 'https://git.example': terminal prompts disabled");
    site.runs.fails(
        failed.id(),
        "The repository could not be cloned: it needs an account. See"
            + " https://git.example/help/tokens.",
        true);
    site.binds(
        new Conversation(github, "acme/shop#81"),
        sam,
        site.runs.run(failed.id()),
        "https://github.com/acme/shop/issues/81",
        now.minus(Duration.ofHours(3)));

    var done = site.runs.addsStranger("Checkout fails for orders without a voucher");
    site.says(
        done,
        Kind.ASKED,
        "Checkout fails for orders without a voucher\n\n"
            + "Steps: put anything into the basket, leave the voucher empty, press Pay. The page"
            + " answers 500.");
    site.says(done, Kind.STATUS, "Looking for the cause");
    site.says(done, Kind.DID, "grep -rn voucher src/main");
    site.says(
        done,
        Kind.SAID,
        "`Checkout.total` reads the voucher without asking whether there is one. I add a test that"
            + " shows it, then the fix.");
    site.says(done, Kind.DID, "edit src/test/java/shop/CheckoutTest.java");
    site.says(done, Kind.DID, "edit src/main/java/shop/Checkout.java");
    site.says(done, Kind.RESULT, "The file was changed: 3 lines added, 1 removed");
    site.says(done, Kind.DID, "mvn -q test");
    for (int i = 1; i <= 20; i++) {
      site.says(done, Kind.RESULT, "[INFO] Tests of module " + i + ": 10 run, 0 failed");
    }
    site.says(done, Kind.ERROR, "WARNING: a deprecated option was used");
    site.says(
        done, Kind.SAID, "All 214 tests pass. Pull request: https://github.com/acme/shop/pull/83");
    site.says(done, Kind.ASKED, 2, "Thanks! Please mention the issue in the changelog too.");
    site.says(done, Kind.SAID, 2, "Done, it is in the same pull request.");
    site.runs.makes(
        done.id(),
        new Artifact("Pull request #83", URI.create("https://github.com/acme/shop/pull/83"), true));
    site.runs.makes(
        done.id(), new Artifact("Plan", URI.create("https://runs.example/plans/1"), false));
    site.runs.moves(
        done.id(),
        RunState.SUCCEEDED,
        """
        Orders without a voucher are **paid again**. The total was computed from a voucher that may be missing;
        now `Checkout.total` asks first.

        | Order | before | now |
        |---|---|---|
        | with a voucher | 18.00 € | 18.00 € |
        | without one | error 500 | 20.00 € |

        ```java
        return voucher.map(it -> it.reduce(sum)).orElse(sum);
        ```

        Pull request: https://github.com/acme/shop/pull/83
        """);
    site.knows(done.id(), details(site, done, now));
    site.binds(
        new Conversation(github, "acme/shop#79"),
        dana,
        site.runs.run(done.id()),
        "https://github.com/acme/shop/issues/79",
        now.minus(Duration.ofMinutes(52)));

    var blocked = site.runs.addsStranger("Rename the customer table");
    site.says(blocked, Kind.ASKED, blocked.title());
    site.says(
        blocked,
        Kind.QUESTION,
        "Other services read this table. May I keep a view under the old name?");
    site.runs.moves(
        blocked.id(),
        RunState.BLOCKED,
        "Other services read this table. May I keep a view under the old name?");
    site.binds(
        new Conversation(slack, "T1/C1/6"),
        dana,
        site.runs.run(blocked.id()),
        slackLink,
        now.minus(Duration.ofMinutes(14)));

    var running = site.runs.addsStranger("Fix the flaky test in the checkout module");
    site.says(running, Kind.ASKED, running.title());
    for (int i = 1; i < 60; i++) {
      site.says(
          running,
          i % 7 == 0 ? Kind.DID : Kind.SAID,
          i % 7 == 0
              ? "mvn -q test -Dtest=CheckoutTest"
              : "Run " + i + ": passed in 1." + i + " s");
    }
    site.runs.moves(running.id(), RunState.RUNNING, "Running the test 100 times");
    site.binds(
        new Conversation(slack, "T1/C1/7"),
        dana,
        site.runs.run(running.id()),
        slackLink,
        now.minus(Duration.ofSeconds(200)));
  }
}
