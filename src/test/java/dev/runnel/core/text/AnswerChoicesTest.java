package dev.runnel.core.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AnswerChoicesTest {
  private static final String QUESTION = "I read the code.\n\nWhich database shall it be?\n";

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1. Postgres\n2. SQLite",
        "1) Postgres\n2) SQLite\n",
        "\n- Postgres\n- SQLite",
        "* **Postgres**\n\n* `SQLite`",
        "(a) Postgres\n(b) SQLite",
      })
  void listAfterAQuestionBecomesItsChoices(String list) {
    var choices = AnswerChoices.of(QUESTION + list);

    assertThat(choices.question()).isEqualTo(QUESTION.strip());
    assertThat(choices.choices()).containsExactly("Postgres", "SQLite");
  }

  @Test
  void theQuestionMayFollowItsList() {
    var choices = AnswerChoices.of("Two ways:\n1. Keep it\n2. Drop it\n\nWhich do you prefer?");

    assertThat(choices.choices()).containsExactly("Keep it", "Drop it");
    assertThat(choices.question()).isEqualTo("Two ways:\n\nWhich do you prefer?");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Shall I go on?",
        "I did this:\n- read the code\n- ran the tests\n\nShall I go on?",
        "I did this:\n- read the code\n- ran the tests",
        "Which one?\n- only this",
        "Which one?\n- the same\n- the same",
        "- a list\n- without a question",
        "",
      })
  void otherListsStayPartOfTheQuestion(String text) {
    var choices = AnswerChoices.of(text);

    assertThat(choices.question()).isEqualTo(text);
    assertThat(choices.choices()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "`a/__init__.py`|a/__init__.py",
        "a/__init__.py|a/__init__.py",
        "__init__|__init__",
        "`**kwargs`|**kwargs",
        "**kwargs|**kwargs",
        "*args or **kwargs|*args or **kwargs",
        "2**10|2**10",
        "2**10 or 2**12|2**10 or 2**12",
        "a ` b|a ` b",
        "`` a`b ``|a`b",
        "`a` and `__b__`|a and __b__",
        "**Keep** the table|Keep the table",
        "**Keep `**kwargs`**: it works|Keep **kwargs: it works",
      })
  void choiceLosesOnlyTheMarkupOfCodeAndBoldText(String written, String choice) {
    var choices = AnswerChoices.of("Which?\n1. " + written + "\n2. `b`");

    assertThat(choices.choices()).containsExactly(choice, "b");
    assertThat(choices.numbered()).isEqualTo("1. " + written + "\n2. `b`");
  }

  @Test
  void tooManyOrTooLongChoicesAreIgnored() {
    assertThat(AnswerChoices.of("Which?\n" + "- x".repeat(1) + "\n- " + "y".repeat(151)).choices())
        .isEmpty();
    var many = new StringBuilder("Which?");
    for (var i = 1; i <= 11; i++) {
      many.append("\n").append(i).append(". way ").append(i);
    }
    assertThat(AnswerChoices.of(many.toString()).choices()).isEmpty();
    assertThat(AnswerChoices.of("Which?\n- x\n- **" + "`y`".repeat(100_000)).choices()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "2, SQLite",
    "2., SQLite",
    "option 1, Postgres",
    "sqlite, SQLite",
    "3,",
    "0,",
    "use both,",
  })
  void replyChoosesByNumberOrByText(String reply, String chosen) {
    assertThat(AnswerChoices.of(QUESTION + "1. Postgres\n2. SQLite").chosenBy(reply).orElse(null))
        .isEqualTo(chosen);
  }

  @ParameterizedTest
  @ValueSource(strings = {"3", "2", "1"})
  void numericChoiceIsChosenByItsTextAndNotItsPosition(String said) {
    var choices = AnswerChoices.of("How many replicas?\n- 3\n- 2\n- 1");

    assertThat(choices.chosenBy(said)).contains(said);
  }

  @Test
  void invisibleChoiceIsIgnored() {
    assertThat(AnswerChoices.of("Which?\n- Postgres\n- \u202e\u2066").choices()).isEmpty();
    assertThat(AnswerChoices.of("Which?\n- Postgres\n- \u200b").choices()).isEmpty();
  }
}
