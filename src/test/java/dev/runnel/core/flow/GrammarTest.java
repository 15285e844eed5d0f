package dev.runnel.core.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.RunId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrammarTest {
  private static final String RUN = "0190e6a1-9f50-7c3e-8a43-000000000001";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "list the open ports in compose.yml",
        "help me with the build",
        "cancel the nightly job in ci.yml",
        "status of the deployment?",
        "stop using log4j",
        "retry logic is missing in the client",
        "status",
      })
  void onlyExactlyAVerbIsACommand(String text) {
    var intent = Grammar.command(text);

    if (text.equals("status")) {
      assertThat(intent).isEqualTo(new Intent.Status(Optional.empty()));
    } else {
      assertThat(intent).isInstanceOf(Intent.Start.class);
      assertThat(((Intent.Start) intent).request().text()).isEqualTo(text);
    }
  }

  @Test
  void aVerbTakesARunByIdOrByLink() {
    assertThat(Grammar.command("cancel " + RUN))
        .isEqualTo(new Intent.Cancel(Optional.of(new RunId(RUN)), Optional.empty()));
    assertThat(Grammar.command("Status http://localhost:8080/runs/" + RUN))
        .isEqualTo(new Intent.Status(Optional.of(new RunId(RUN))));
    assertThat(Grammar.command("retry " + RUN))
        .isEqualTo(new Intent.Retry(Optional.of(new RunId(RUN))));
  }

  @Test
  void nothingSaidAsksForHelp() {
    assertThat(Grammar.command("  ")).isEqualTo(new Intent.Help());
    assertThat(Grammar.words("")).contains(new Intent.Help());
  }

  @ParameterizedTest
  @ValueSource(strings = {"stop", "STOP", " cancel "})
  void stopWordsStopInAThread(String text) {
    assertThat(Grammar.words(text)).contains(new Intent.Cancel(Optional.empty(), Optional.empty()));
  }

  @Test
  void anAsideIsForThePeopleInTheThread() {
    assertThat(Grammar.words("// do you think it works?")).isEmpty();
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
  void optionsStandAtTheBeginningOrTheEnd(String text, String environment, String prompt) {
    var request = ((Intent.Start) Grammar.command(text)).request();

    assertThat(request.text()).isEqualTo(prompt);
    assertThat(request.options().environment()).isEqualTo(Optional.ofNullable(environment));
  }

  @Test
  void severalOptionsAreRead() {
    var options =
        ((Intent.Start) Grammar.command("--model fast --title \"The test\" fix it --name tests"))
            .request()
            .options();

    assertThat(options.model()).contains("fast");
    assertThat(options.title()).contains("The test");
    assertThat(options.name()).contains("tests");
  }

  @Test
  void anUnknownOptionIsNamed() {
    assertThat(Grammar.command("--enviroment staging fix it"))
        .isInstanceOfSatisfying(
            Intent.Unclear.class, it -> assertThat(it.why()).contains("--enviroment", "--env"));
  }

  @Test
  void anOptionWithoutAValueIsNamed() {
    assertThat(Grammar.command("--env"))
        .isInstanceOfSatisfying(
            Intent.Unclear.class, it -> assertThat(it.why()).contains("--env needs a value"));
  }

  @Test
  void optionsAloneAreNoPrompt() {
    assertThat(Grammar.command("--env staging")).isInstanceOf(Intent.Unclear.class);
  }

  @Test
  void aPromptKeepsItsLinesQuotesAndEmoji() {
    var text = "fix \"this\"\n\n```\nif (a < b) {}\n```\n\ud83d\ude80 \u05e9\u05dc\u05d5\u05dd";

    assertThat(((Intent.Start) Grammar.command(text)).request().text()).isEqualTo(text);
  }
}
