package dev.runnel.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Intent.ListRuns.Scope;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MessageParserTest {
  private static final String RUN = "0190e6a1-9f50-7c3e-8a43-000000000001";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list the open ports in compose.yml",
        "help me with the build",
        "cancel the nightly job in ci.yml",
        "status of the deployment of today?",
        "stop using log4j in the client",
        "retry logic is missing in the client",
        "status",
      })
  void textThatOnlyBeginsWithAVerbIsAPrompt(String text) {
    var intent = MessageParser.command(text);

    if (text.equals("status")) {
      assertThat(intent).isEqualTo(new Intent.Status(Optional.empty()));
    } else {
      assertThat(intent).isInstanceOf(Intent.Start.class);
      assertThat(((Intent.Start) intent).request().text()).isEqualTo(text);
    }
  }

  @Test
  void verbsAcceptARunIdOrALink() {
    assertThat(MessageParser.command("cancel " + RUN))
        .isEqualTo(new Intent.Cancel(Optional.of(new RunId(RUN)), Optional.empty()));
    assertThat(MessageParser.command("Status http://localhost:8080/runs/" + RUN))
        .isEqualTo(new Intent.Status(Optional.of(new RunId(RUN))));
    assertThat(MessageParser.command("retry " + RUN))
        .isEqualTo(new Intent.Retry(Optional.of(new RunId(RUN))));
  }

  @Test
  void emptyMessageAsksForHelp() {
    assertThat(MessageParser.command("  ")).isEqualTo(new Intent.Help());
    assertThat(MessageParser.words("")).contains(new Intent.Help());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stop",
        "STOP",
        " cancel ",
        "Stop!",
        "stop.",
        "please stop",
        "stop please",
        "stop it",
        "stop now please",
        "please stop it now!",
        "Please stop the run now.",
        "stop everything",
        "cancel the run",
        "abort",
        "halt!",
        "kill it",
        "can you stop?",
        "no, stop, stop!",
        "stop \ud83d\uded1",
        ":octagonal_sign: stop",
        "`stop`",
      })
  void politeAndEmphaticStopsAreRecognized(String text) {
    var stop = new Intent.Cancel(Optional.empty(), Optional.empty());

    assertThat(MessageParser.words(text, false)).contains(stop);
    assertThat(MessageParser.words(text, true)).contains(stop);
    assertThat(MessageParser.command(text)).isEqualTo(stop);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "don't stop",
        "stop using log4j",
        "non-stop",
        "please",
        "now",
        "the tests stop at the third one",
        "kill the zombie processes",
        "retry it",
        "retry that, please",
      })
  void textThatOnlyResemblesAStopGoesToTheAgent(String text) {
    assertThat(MessageParser.words(text, false)).contains(new Intent.Say(Request.of(text)));
  }

  @ParameterizedTest
  @CsvSource({"status?, status", "Retry!, retry", "help!, help"})
  void threadCommandMayEndWithPunctuation(String text, String verb) {
    assertThat(MessageParser.words(text, false)).isEqualTo(MessageParser.words(verb, false));
    assertThat(MessageParser.words(text, false))
        .isNotEqualTo(Optional.of(new Intent.Say(Request.of(text))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stop using log4j",
        "cancel the last run",
        "status 123",
        "status page is down",
        "Retry: the upload",
        "please cancel the nightly job",
        "stop run 12",
      })
  void shortTextThatBeginsLikeACommandStartsNothing(String text) {
    for (var intent :
        List.of(MessageParser.command(text), MessageParser.words(text, true).orElseThrow())) {
      assertThat(intent)
          .isInstanceOfSatisfying(
              Intent.Unclear.class,
              it -> {
                assertThat(it.why()).contains(text);
                assertThat(it.work()).contains(Request.of(text));
              });
      assertThat(intent.agentRequest()).isEmpty();
    }
    assertThat(MessageParser.command("run: " + text)).isEqualTo(new Intent.Start(Request.of(text)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"7777", "77776d6b", "77776D6B", "0190e6a1-9f50", "run-12"})
  void verbsAcceptARunIdPrefix(String id) {
    var run = new RunId(id);

    assertThat(MessageParser.command("stop " + id))
        .isEqualTo(new Intent.Cancel(Optional.of(run), Optional.empty()));
    assertThat(MessageParser.words("status " + id, false))
        .contains(new Intent.Status(Optional.of(run)));
    assertThat(MessageParser.command("retry http://localhost:8080/runs/" + id))
        .isEqualTo(new Intent.Retry(Optional.of(run)));
    assertThat(MessageParser.command("say " + id + " use the old API"))
        .isEqualTo(new Intent.SayTo(run, Request.of("use the old API")));
    assertThat(MessageParser.command("link " + id)).isEqualTo(new Intent.Link(run));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "// do you think it works?",
        "aside do you think it works?",
        "Aside: lunch?",
        "aside, lunch?",
        "aside",
      })
  void asideIsIgnored(String text) {
    assertThat(MessageParser.words(text)).isEmpty();
    assertThat(MessageParser.words(text, false)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"aside from that, go on", "Asides are shown in the margin"})
  void sentenceThatOnlyBeginsLikeAnAsideIsARequest(String text) {
    assertThat(MessageParser.words(text, false)).contains(new Intent.Say(Request.of(text)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--env staging fix the test        | staging | fix the test",
        "fix the test --env staging        | staging | fix the test",
        "--env=\"my staging\" fix the test | my staging | fix the test",
        "\u2014env \u201cmy staging\u201d fix the test | my staging | fix the test",
        "say why --env staging is slow     |         | say why --env staging is slow",
        "-- --env staging                  |         | --env staging",
      })
  void optionsAreReadAtTheBeginningAndTheEnd(String text, String environment, String prompt) {
    var request = ((Intent.Start) MessageParser.command(text)).request();

    assertThat(request.text()).isEqualTo(prompt);
    assertThat(request.options().environment()).isEqualTo(Optional.ofNullable(environment));
  }

  @Test
  void severalOptionsAreRead() {
    var options =
        ((Intent.Start)
                MessageParser.command("--model fast --title \"The test\" fix it --name tests"))
            .request()
            .options();

    assertThat(options.model()).contains("fast");
    assertThat(options.title()).contains("The test");
    assertThat(options.name()).contains("tests");
  }

  @Test
  void anUnknownOptionIsNamed() {
    assertThat(MessageParser.command("--enviroment staging fix it"))
        .isInstanceOfSatisfying(
            Intent.Unclear.class, it -> assertThat(it.why()).contains("--enviroment", "--env"));
  }

  @Test
  void anOptionWithoutAValueIsNamed() {
    assertThat(MessageParser.command("--env"))
        .isInstanceOfSatisfying(
            Intent.Unclear.class, it -> assertThat(it.why()).contains("--env needs a value"));
  }

  @Test
  void optionsAloneAreNoPrompt() {
    assertThat(MessageParser.command("--env staging")).isInstanceOf(Intent.Unclear.class);
  }

  @Test
  void aPromptKeepsItsLinesQuotesAndEmoji() {
    var text = "fix \"this\"\n\n```\nif (a < b) {}\n```\n\ud83d\ude80 \u05e9\u05dc\u05d5\u05dd";

    assertThat(((Intent.Start) MessageParser.command(text)).request().text()).isEqualTo(text);
  }

  /// What is exactly a verb, and what only begins like one.
  @Nested
  class TheVerbs {
    @ParameterizedTest
    @ValueSource(
        strings = {
          "run the tests",
          "runs are slow",
          "list the open ports in compose.yml",
          "list mine and yours",
          "list failed tests",
          "status page of acme is down",
          "cancel all subscriptions of mine",
          "retry the upload when it fails",
          "say hello",
          "say run the tests in the readme",
          "link the docs to the site",
          "link run-in of the engine",
          "new login page please",
          "usage of the cache is too high",
          "why does the test fail",
          "why https://example.com is slow",
          "config files are missing",
          "config set the timeout to five seconds",
          "whoami prints the wrong user",
          "doctor the config",
          "help me with the build",
          "deploy",
          "tests",
        })
    void ordinaryRequestIsNotMistakenForAVerb(String text) {
      assertThat(MessageParser.command(text)).isEqualTo(new Intent.Start(Request.of(text)));
    }

    static Stream<Arguments> commands() {
      var run = new RunId("run-12");
      var slack = URI.create("https://acme.slack.com/archives/C0DEV/p1700000000000100");
      return Stream.of(
          Arguments.of("list", new Intent.ListRuns()),
          Arguments.of("list mine", list(Scope.MINE)),
          Arguments.of("LIST all failed", list(Scope.ALL, RunState.FAILED)),
          Arguments.of("list done channel", list(Scope.CHANNEL, RunState.SUCCEEDED)),
          Arguments.of(
              "list running", new Intent.ListRuns(Optional.empty(), List.of(RunState.RUNNING))),
          Arguments.of("status run-12", new Intent.Status(Optional.of(run))),
          Arguments.of(
              "status " + slack, new Intent.Linked(slack, new Intent.Status(Optional.empty()))),
          Arguments.of(
              "stop " + slack,
              new Intent.Linked(slack, new Intent.Cancel(Optional.empty(), Optional.empty()))),
          Arguments.of("cancel all mine", new Intent.CancelMine()),
          Arguments.of("Stop all mine", new Intent.CancelMine()),
          Arguments.of("retry run-12", new Intent.Retry(Optional.of(run))),
          Arguments.of(
              "say run-12 use the\nold API", new Intent.SayTo(run, Request.of("use the\nold API"))),
          Arguments.of(
              "say http://localhost/runs/run-12 go", new Intent.SayTo(run, Request.of("go"))),
          Arguments.of("link run-12", new Intent.Link(run)),
          Arguments.of("usage", ask(new Question.Usage())),
          Arguments.of("whoami", ask(new Question.WhoAmI())),
          Arguments.of("doctor", ask(new Question.Doctor())),
          Arguments.of("config", ask(new Question.Config())),
          Arguments.of("config show", ask(new Question.Config())),
          Arguments.of("config set model fast", configure("model", "fast", Level.ME)),
          Arguments.of("config set env \"my env\" here", configure("env", "my env", Level.HERE)),
          Arguments.of(
              "config set prompt Always write tests. workspace",
              configure("prompt", "Always write tests.", Level.WORKSPACE)),
          Arguments.of("config unset model here", configure("model", null, Level.HERE)),
          Arguments.of("explain: the design", ask(new Question.Explain(Request.of("the design")))),
          Arguments.of("why " + slack, ask(new Question.Why(slack))),
          Arguments.of("help list", new Intent.Help(Optional.of("list"))),
          Arguments.of("new: the docs", new Intent.Start(Request.of("the docs"))));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void verbsAreParsedWithTheirArguments(String text, Intent intent) {
      assertThat(MessageParser.command(text)).isEqualTo(intent);
    }

    private static Intent list(Scope scope, RunState... states) {
      return new Intent.ListRuns(Optional.of(scope), List.of(states));
    }

    private static Intent ask(Question question) {
      return new Intent.Ask(question);
    }

    private static Intent configure(String key, @Nullable String value, Level level) {
      return ask(new Question.Configure(key, Optional.ofNullable(value), level));
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "run: list              | list",
          "run : fix it           | fix it",
          "run list the ports     | list the ports",
          "run explain the design | explain the design",
          "run --env staging go   | go",
          "run env=staging go     | go",
          "run the tests          | run the tests",
        })
    void runIsPartOfThePromptUnlessItIsUsedAsACommand(String text, String prompt) {
      assertThat(((Intent.Start) MessageParser.command(text)).request().text()).isEqualTo(prompt);
    }

    @ParameterizedTest
    @CsvSource({
      "satus, status",
      "lsit, list",
      "hlep, help",
      "retyr, retry",
      "Usgae, usage",
      "confg, config",
    })
    void mistypedVerbGetsAHintAndStartsNoRun(String text, String meant) {
      assertThat(MessageParser.command(text))
          .isInstanceOfSatisfying(
              Intent.Unclear.class,
              it -> assertThat(it.why()).contains("`" + meant + "`", "run: " + text));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {"link 7b3", "say 7b3 hurry up, and use the new API", "link 42", "SAY b2 stop"})
    void oneWithATooShortIdIsAHintAndNoRun(String text) {
      assertThat(MessageParser.command(text))
          .isInstanceOfSatisfying(
              Intent.Unclear.class,
              it -> {
                assertThat(it.why()).contains("is too short to name a run");
                assertThat(it.work()).contains(Request.of(text));
              });
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "link a test",
          "link add to the menu",
          "say a word about fees",
          "say 3 things about the new checkout",
          "why is CI red"
        })
    void wordsThatAreNoIdsArePrompts(String text) {
      assertThat(MessageParser.command(text)).isEqualTo(new Intent.Start(Request.of(text)));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "run",
          "run:",
          "say",
          "say run-12",
          "link",
          "new",
          "new:",
          "explain",
          "why",
          "config set"
        })
    void verbWithoutItsArgumentsIsReportedAsIncomplete(String text) {
      assertThat(MessageParser.command(text))
          .isInstanceOfSatisfying(
              Intent.Unclear.class, it -> assertThat(it.why()).contains("is incomplete"));
    }

    @Test
    void anUnknownKeyIsNamed() {
      assertThat(MessageParser.command("config set modle fast"))
          .isInstanceOfSatisfying(
              Intent.Unclear.class, it -> assertThat(it.why()).contains("`modle`", "model"));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "list",
          "usage",
          "config",
          "say run-12 go",
          "link run-12",
          "new",
          "explain: it",
          "run: go",
          "satus",
          "doctor",
          "why https://example.com/x"
        })
    void verbsNotNeededInAThreadRequireAMentionThere(String text) {
      assertThat(MessageParser.words(text, false)).contains(new Intent.Say(Request.of(text)));
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "schedule pause ab12",
          "schedules resume 0190e6a1",
          "Schedule delete AB12",
          "unfreeze"
        })
    void verbsThatUndoAnAnnouncementRequireNoMention(String text) {
      assertThat(MessageParser.words(text, false)).isEqualTo(MessageParser.words(text, true));
      assertThat(MessageParser.words(text, false)).get().isInstanceOf(Intent.Ask.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"schedule delete the old jobs", "unfreeze the branch", "schedule"})
    void textThatBeginsLikeAVerbGoesToTheAgent(String text) {
      assertThat(MessageParser.words(text, false)).contains(new Intent.Say(Request.of(text)));
    }

    @Test
    void newVerbRequiresAColonInAThread() {
      assertThat(MessageParser.words("new: the docs", false))
          .contains(new Intent.New(Request.of("the docs")));
      assertThat(MessageParser.words("new docs", true))
          .contains(new Intent.Say(Request.of("new docs")));
    }

    @Test
    void interruptVerbRequiresAColonAndStartsNoRun() {
      var interruption = new Intent.Say(new Request("not that", RunOptions.interrupting()));
      assertThat(MessageParser.words("Interrupt:  not that", false)).contains(interruption);
      assertThat(MessageParser.command("interrupt: not that")).isEqualTo(interruption);
      assertThat(MessageParser.words("interrupt the timer", true))
          .contains(new Intent.Say(Request.of("interrupt the timer")));
    }

    @Test
    void addressedVerbInAThreadIsACommand() {
      assertThat(MessageParser.words("usage", true)).contains(ask(new Question.Usage()));
      assertThat(MessageParser.words("run: usage", true))
          .contains(new Intent.Say(Request.of("usage")));
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void helpExampleOfEveryVerbIsValid(Verb verb) {
      assertThat(Verb.of(verb.word())).contains(verb);
      assertThat(verb.usage()).startsWith(verb.word());
      assertThat(MessageParser.words(verb.example(), true).orElseThrow())
          .isNotInstanceOf(Intent.Unclear.class)
          .satisfies(
              intent ->
                  assertThat(
                          intent instanceof Intent.Say(var request)
                              && !request.options().interrupts())
                      .isEqualTo(verb == Verb.RUN));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "model=fast fix it              | fast  | fix it",
        "fix it model=fast              | fast  | fix it",
        "fix it model=\"very fast\"     | very fast | fix it",
        "model=slow fix it model=fast   | fast  | fix it",
        "fix it --model slow model=fast | fast  | fix it",
        "say why model=fast is slow     |       | say why model=fast is slow",
        "fix it modle=fast              |       | fix it modle=fast",
        "-- model=fast fix it           |       | model=fast fix it",
      })
  void optionsMayBeAssignmentsAndTheLastOneWins(String text, String model, String prompt) {
    var request = ((Intent.Start) MessageParser.command(text)).request();

    assertThat(request.text()).isEqualTo(prompt);
    assertThat(request.options().model()).isEqualTo(Optional.ofNullable(model));
  }
}
