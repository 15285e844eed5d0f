package dev.runnel.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// A sentence that begins like a command is work.
class EverydayWordsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "explain why the checkout test fails",
        "Explain in one page how the code is built, and where to start reading.",
        "explain\nthis stack trace",
        "explain key=value files",
        "explain --env and --model to new people",
        "explain to me, please: what does the cart do?",
        "schedule a job that cleans the cache",
        "Schedule daily backups of the database",
        "schedule every test in its own job",
        "schedule in the worker pool, not in the request",
        "schedule at most two workers",
        "schedule: nightly job fails since Monday",
        "say added in the changelog, not new",
        "say run-time instead of runtime in the docs",
        "link facade",
        "freeze the versions of the dependencies",
        "plan the move to the new API",
        "again the build is red",
        "config of the linter is wrong",
        "mute the noisy logger",
        "join the two tables",
        "usage of the old API must go",
        "help me understand the cart",
        "approve the snapshot tests",
        "doctor the fixtures"
      })
  void sentenceThatBeginsLikeACommandStartsARun(String text) {
    assertThat(MessageParser.command(text)).isEqualTo(new Intent.Start(Request.of(text)));
    assertThat(MessageParser.words(text)).contains(new Intent.Say(Request.of(text)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"explain: fix it", "explain : fix it", "Explain:fix it", "EXPLAIN:\nfix it"})
  void explainWithAColonIsTheDryRun(String text) {
    assertThat(MessageParser.command(text))
        .isEqualTo(new Intent.Ask(new Question.Explain(Request.of("fix it"))));
  }

  @Test
  void explainWithOptionsOnlyShowsWhatTheyChoose() {
    assertThat(MessageParser.command("explain --env web"))
        .isEqualTo(
            new Intent.Ask(
                new Question.Explain(
                    new Request("", RunOptions.NONE.withEnvironment(Optional.of("web"))))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "schedule every tuesday check the build",
        "schedule at 25:00 check the build",
        "schedule in 3 fortnights check the build",
        "schedule on the 31st check the build",
        "schedule daily at nine check the build"
      })
  void scheduleWithATimeThatIsNotUnderstoodStartsNoRun(String text) {
    assertThat(MessageParser.command(text))
        .isInstanceOfSatisfying(
            Intent.Unclear.class,
            it -> {
              assertThat(it.why()).contains("I don't understand the time");
              assertThat(it.work()).contains(Request.of(text));
            });
  }
}
