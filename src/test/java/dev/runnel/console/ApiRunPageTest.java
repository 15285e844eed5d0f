package dev.runnel.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.console.view.About;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The page of a run that was started through the API: who may stop it and write to it there.
class ApiRunPageTest {
  private static final SignedInPerson ANN =
      new SignedInPerson("slack:T1/U1", "Ann", Set.of("slack:U1"));
  private static final Set<Permission> ALL = EnumSet.allOf(Permission.class);

  @TempDir Path folder;
  private final SettableClock clock = new SettableClock();
  private final HttpClient client = HttpClient.newHttpClient();
  private Site site;
  private Run run;

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
    run = site.runs.addsStranger("Nightly report");
  }

  @AfterEach
  void close() {
    site.close();
    client.close();
  }

  private String page(String session) throws Exception {
    return get("/runs/" + run.id(), session).body();
  }

  private HttpResponse<String> get(String path, String session) throws Exception {
    return client.send(
        HttpRequest.newBuilder(site.at(path)).header("Cookie", session).build(),
        BodyHandlers.ofString());
  }

  /// What the page's form sends, from a page that was loaded now.
  private Map<String, String> form(String session, String action) throws Exception {
    var fields = new HashMap<String, String>();
    fields.put("action", action);
    fields.put("turn", "1");
    var inputs =
        Pattern.compile("name=\"(page|conversation|run)\" value=\"([^\"]*)\"")
            .matcher(page(session));
    while (inputs.find()) {
      fields.put(inputs.group(1), inputs.group(2));
    }
    return fields;
  }

  private Map<String, String> message(String session, String text) throws Exception {
    var fields = form(session, "say");
    fields.put("text", text);
    return fields;
  }

  private HttpResponse<String> posts(String session, Map<String, String> fields, String... headers)
      throws Exception {
    var body =
        fields.entrySet().stream()
            .map(it -> it.getKey() + "=" + URLEncoder.encode(it.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    var request =
        HttpRequest.newBuilder(site.at("/webhooks/console"))
            .header("Cookie", session)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    return client.send(
        (headers.length > 0 ? request.headers(headers) : request).build(), BodyHandlers.ofString());
  }

  private void permits(Rule... rules) {
    site.policy = new Policy(Map.of(), List.of(rules), List.of(), List.of());
  }

  private static Rule rule(String where, Set<Permission> may) {
    return new Rule(
        "policy.rules[0]", List.of("slack:U1"), List.of(where), may, true, Set.of(), Set.of());
  }

  private List<String> audited(String verb) throws Exception {
    return get("/audit.jsonl?verb=" + verb, site.signedIn()).body().lines().toList();
  }

  private void asks(String question) {
    site.runs.moves(run.id(), RunState.BLOCKED, question);
  }

  @Nested
  class AnOperator {
    private String session;

    @BeforeEach
    void signsIn() {
      session = site.signedIn();
    }

    @Test
    void operatorStopsAnApiRunAndTheAuditLogNamesThem() throws Exception {
      assertThat(page(session)).contains("started through the API", "value=\"stop\"");

      assertThat(posts(session, form(session, "stop")).statusCode()).isEqualTo(200);
      site.settles();

      assertThat(site.runs.cancels()).containsExactly(run.id());
      assertThat(page(session))
          .contains("badge cancelled", "started through the API")
          .doesNotContain("value=\"stop\"");
      assertThat(audited("stop"))
          .isNotEmpty()
          .allMatch(it -> it.contains("console:console") && it.contains(run.id().value()));
      assertThat(audited("end"))
          .singleElement()
          .asString()
          .contains("the stop took effect", "console:console", run.id().value());
    }

    @Test
    void repeatedClicksSendOneMessage() throws Exception {
      var message = message(session, "And the docs");

      posts(session, message);
      posts(session, message);
      site.settles();
      posts(session, message);
      site.settles();

      assertThat(site.runs.followUps())
          .singleElement()
          .matches(it -> it.run().equals(run.id()) && it.text().equals("And the docs"));
      assertThat(audited("say")).singleElement().asString().contains(run.id().value());
    }

    @Test
    void operatorAnswersAQuestionOfAnApiRunWithAButton() throws Exception {
      asks("Which one?\n\n1. The red one\n2. The blue one");
      var choice = Pattern.compile("value=\"(answer\n[^\"]*The blue one)\"").matcher(page(session));
      assertThat(choice.find()).isTrue();

      posts(session, form(session, choice.group(1).replace("&amp;", "&")));
      site.settles();

      assertThat(site.runs.followUps()).singleElement().matches(it -> it.text().contains("blue"));
      assertThat(site.runs.run(run.id()).state()).isEqualTo(RunState.QUEUED);
    }

    @Test
    void operatorApprovesAPlanWithATextMessage() throws Exception {
      asks("Plan:\n\n1. Read\n2. Write\n\nReply `approve` to start.");
      clock.advance(Duration.ofMinutes(1));

      posts(session, message(session, "approve"));
      site.settles();

      assertThat(site.runs.followUps()).singleElement().matches(it -> it.text().equals("approve"));
    }

    @Test
    void stopIsDeliveredAfterAnOutageOfTheRunService() throws Exception {
      var stop = form(session, "stop");
      site.runs.isDown(Optional.empty());
      posts(session, stop);
      site.settles();
      assertThat(site.runs.cancels()).isEmpty();

      site.runs.isBack();
      clock.advance(Duration.ofMinutes(5));
      site.settles();

      assertThat(site.runs.cancels()).containsExactly(run.id());
    }

    @Test
    void operatorMessageIsSentOnceIfTheResponseIsLost() throws Exception {
      site.runs.losesNextAnswer();
      posts(session, message(session, "And the docs"));
      for (int i = 0; i < 5; i++) {
        site.settles();
        clock.advance(Duration.ofMinutes(5));
      }

      assertThat(site.runs.followUps()).hasSize(1);
      assertThat(site.waiting(Conversation.parse("api:" + run.id()))).isEmpty();
    }

    @Test
    void refusedFollowUpIsShownAndStartsNoNewRun() throws Exception {
      site.runs.moves(run.id(), RunState.SUCCEEDED, "Done");
      site.runs.answersNext(
          new Outcome.Refused("gone", "Its workspace was deleted.", Optional.empty()));

      posts(session, message(session, "And the docs"));
      site.settles();

      assertThat(site.runs.starts()).isEmpty();
      assertThat(page(session)).contains("Its workspace was deleted.");
    }

    @Test
    void apiRunOffersNoRetryAndRejectsOneThatIsPosted() throws Exception {
      site.runs.moves(run.id(), RunState.FAILED, "No");
      assertThat(page(session)).contains("value=\"say\"").doesNotContain("value=\"retry\"");

      assertThat(posts(session, form(session, "retry")).statusCode()).isEqualTo(422);
      for (var text : List.of("retry", "new: something else", "status")) {
        assertThat(posts(session, message(session, text)).statusCode()).as(text).isEqualTo(422);
      }
      site.settles();

      assertThat(site.accepted).isEmpty();
      assertThat(site.runs.starts()).isEmpty();
    }

    @Test
    void openPageShowsTheStoppedRun() throws Exception {
      try (var live = new OpenPage(site.at("/runs/" + run.id() + "/live"), "Cookie", session)) {
        await().until(() -> live.sent("head").contains("value=\"stop\""));
        posts(session, form(session, "stop"));
        site.settles();
        await().until(() -> live.sent("head").contains("badge cancelled"));
      }
    }

    @Test
    void operatorStopsARunThatAnotherRunStarted() throws Exception {
      run = site.runs.addsChild(run.id(), "A part of it");

      posts(session, form(session, "stop"));
      site.settles();

      assertThat(site.runs.cancels()).containsExactly(run.id());
    }

    @Test
    void operatorStopsALinkedApiRunThroughItsThread() throws Exception {
      posts(session, message(session, "And the docs"));
      site.settles();
      site.arrives(Samples.delivery("9", new Intent.Link(run.id()), Samples.THREAD));
      site.settles();

      var stop = form(session, "stop");
      assertThat(stop).containsEntry("conversation", Samples.THREAD.id());
      posts(session, stop);
      site.settles();

      assertThat(site.runs.cancels()).containsExactly(run.id());
    }

    @Test
    void runListsStillShowTheRequesterAfterAMessage() throws Exception {
      posts(session, message(session, "And the docs"));
      site.settles();

      assertThat(get("/runs", session).body())
          .contains("Rae &lt;b&gt;")
          .doesNotContain("/runs?at=api");
      assertThat(get("/", session).body()).contains("Nightly report", "started through the API");
    }

    @Test
    void crossSiteOrForgedFormIsRejected() throws Exception {
      var stop = form(session, "stop");
      assertThat(posts(session, stop, "Sec-Fetch-Site", "cross-site").statusCode()).isEqualTo(401);
      stop.put("page", "forged");
      assertThat(posts(session, stop).statusCode()).isEqualTo(401);
    }
  }

  @Nested
  class APerson {
    private String session;

    @BeforeEach
    void signsIn() {
      session = site.signedIn(ANN);
    }

    @Test
    void personWithoutPermissionSeesNoFormAndCannotStopTheRun() throws Exception {
      permits(rule("console", ALL));
      assertThat(page(session))
          .contains("Nightly report")
          .doesNotContain("data-form", "value=\"stop\"");

      acts("stop", "api:" + run.id());
      acts("stop", "console:runs/mine");
      acts("say", "api:" + run.id());
      acts("say", "console:runs/mine");
      site.settles();

      assertThat(site.accepted).hasSize(4);
      assertThat(site.runs.cancels()).isEmpty();
      assertThat(site.runs.followUps()).isEmpty();
      assertThat(site.runs.starts()).isEmpty();
      assertThat(audited("stop"))
          .anyMatch(it -> it.contains("refused") && it.contains("console:slack:T1/U1"));
    }

    /// Sends a form of another page of theirs, with these fields.
    private void acts(String action, String conversation) throws Exception {
      var key =
          Pattern.compile("name=\"page\" value=\"([^\"]+)\"").matcher(get("/", session).body());
      assertThat(key.find()).isTrue();
      posts(
          session,
          Map.of(
              "action",
              action,
              "text",
              "And the docs",
              "conversation",
              conversation,
              "run",
              run.id().value(),
              "page",
              key.group(1),
              "turn",
              "1"));
    }

    @Test
    void permittedPersonStopsTheRunUnderTheirName() throws Exception {
      permits(rule("console", EnumSet.of(Permission.READ)), rule("api", ALL));

      posts(session, form(session, "stop"));
      site.settles();

      assertThat(site.runs.cancels()).containsExactly(run.id());
      assertThat(audited("stop"))
          .isNotEmpty()
          .allMatch(it -> it.contains("console:slack:T1/U1") && it.contains("Ann"));
      assertThat(audited("end"))
          .singleElement()
          .asString()
          .contains("console:slack:T1/U1", "the stop took effect");
    }

    @Test
    void runPageShowsOnlyPermittedActions() throws Exception {
      permits(rule("console", EnumSet.of(Permission.READ)), rule("api", Set.of(Permission.STOP)));
      assertThat(page(session))
          .contains("value=\"stop\"")
          .doesNotContain("value=\"say\"", "textarea");

      permits(rule("console", EnumSet.of(Permission.READ)), rule("api", Set.of(Permission.ANSWER)));
      assertThat(page(session)).doesNotContain("value=\"stop\"", "value=\"say\"");
      asks("Which one?\n\n1. The red one\n2. The blue one");
      assertThat(page(session))
          .contains("value=\"say\"", "The blue one</button>")
          .doesNotContain("value=\"stop\"");
    }

    @Test
    void permissionToStopOwnRunsExcludesApiRuns() throws Exception {
      permits(
          rule("console", EnumSet.of(Permission.READ)), rule("any", Set.of(Permission.STOP_OWN)));

      acts("stop", "api:" + run.id());
      site.settles();

      assertThat(page(session)).doesNotContain("value=\"stop\"");
      assertThat(site.runs.cancels()).isEmpty();
    }

    @Test
    void personCannotActOnARunThatAnotherRunStarted() throws Exception {
      permits(rule("console", ALL), rule("api", ALL));
      run = site.runs.addsChild(run.id(), "A part of it");

      acts("stop", "api:" + run.id());
      acts("say", "api:" + run.id());
      site.settles();

      assertThat(page(session)).doesNotContain("data-form");
      assertThat(site.runs.cancels()).isEmpty();
      assertThat(site.runs.followUps()).isEmpty();
    }

    @Test
    void personCannotActOnARunOfAThreadThroughTheApiConversation() throws Exception {
      permits(rule("console", ALL), rule("api", ALL));
      run =
          site.binds(
              Conversation.parse("slack:T1/C1/1700000000.000100"),
              Samples.DANA,
              "Fix the test",
              null);

      acts("stop", "api:" + run.id());
      acts("say", "api:" + run.id());
      site.settles();

      assertThat(site.runs.cancels()).isEmpty();
      assertThat(site.runs.followUps()).isEmpty();
    }

    /// Runnel started it, and its thread is not known yet, or no longer.
    @Test
    void personCannotActOnARunThatAThreadRequested() throws Exception {
      permits(rule("console", ALL), rule("api", ALL));
      run = site.runs.addsStarted("Fix the test");

      acts("stop", "api:" + run.id());
      acts("say", "api:" + run.id());
      site.settles();

      assertThat(page(session)).doesNotContain("data-form");
      assertThat(site.runs.cancels()).isEmpty();
      assertThat(site.runs.followUps()).isEmpty();
    }
  }

  @Test
  void sharedPageOfAnApiRunHasNoControls() throws Exception {
    assertThat(get(site.shared(run), "").body())
        .contains("Nightly report")
        .doesNotContain("data-form", "value=\"stop\"");
  }

  @Test
  void runIdThatIsAPrefixOfAnotherIsNotMistaken() throws Exception {
    run = site.runs.addsStranger(new RunId("1234"), "Short");
    var other = site.runs.addsStranger(new RunId("12345"), "Long");
    var session = site.signedIn();
    var shortRun = run;
    run = other;
    posts(session, message(session, "Hello"));
    site.settles();
    run = shortRun;

    posts(session, form(session, "stop"));
    site.settles();

    assertThat(site.runs.cancels()).containsExactly(new RunId("1234"));
  }
}
