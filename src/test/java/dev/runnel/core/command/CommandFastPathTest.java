package dev.runnel.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Most messages are prompts, which the parser tells by their first word. It must not take a
/// command for a prompt.
class CommandFastPathTest {
  private static final int TEXTS = 200_000;

  private static final List<String> WORDS =
      Stream.of(
              "run list status cancel stop retry say link new plan mute unmute listen config explain why"
                  .split(" "),
              "usage whoami doctor approve decline freeze unfreeze help abort halt kill stpo cancl"
                  .split(" "),
              "please pls hey ok no bitte s'il por stoop cancer mine all here set model 1a2b3c4d"
                  .split(" "),
              "run-12 https://acme.example/runs/1a2b3c4d fix the test \u017ftop canc\u00e9l \u212aill"
                  .split(" "),
              "schedule schedules again pause in weeks every day join separate -- --env \u2014 = :x: :stop: \ud83d\uded1 'stop' _stop_ *stop* \"stop\" 2 me"
                  .split(" "))
          .flatMap(Stream::of)
          .toList();

  private static final List<String> BETWEEN =
      List.of(
          " ", " ", " ", "", ":", ": ", ",", ", ", ".", "!", "?", "\n", "\t", "  ", "-", "_", "'");

  @Test
  void fastPathNeverMistakesACommandForAPrompt() {
    var random = new Random(7);
    for (var i = 0; i < TEXTS; i++) {
      var text = text(random).strip();
      if (!text.isEmpty() && !CommandParser.mayBeCommand(text)) {
        assertThat(CommandParser.commandInThread(text)).as(text).isEmpty();
        assertThat(CommandParser.anyCommand(text)).as(text).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"unmute", "Unmute!", "unmute...", "mute.", "listen!"})
  void aCommandKeepsItsMeaningWithPunctuation(String text) {
    assertThat(CommandParser.inThread(text)).isPresent();
  }

  private static String text(Random random) {
    return IntStream.rangeClosed(0, random.nextInt(4))
        .mapToObj(_ -> pick(random, WORDS) + pick(random, BETWEEN))
        .collect(Collectors.joining());
  }

  private static String pick(Random random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
