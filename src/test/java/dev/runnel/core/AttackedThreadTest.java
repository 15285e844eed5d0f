package dev.runnel.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Background.Message;
import dev.runnel.testkit.Attack;
import dev.runnel.testkit.Samples;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// The corpus in a chat, where what people wrote is all there is: the first message and the others,
/// names of people and of the channel.
class AttackedThreadTest {
  private static final int SEED = 7;

  private static String fence() {
    return "%016x".formatted(new Random(SEED).nextLong());
  }

  private static String prompt(String words) {
    var background =
        new Background(
            "Slack thread in #" + words,
            Optional.of(words),
            "",
            List.of("label " + words),
            Optional.empty(),
            List.of(
                new Message("Sam " + words, Samples.NINE, "It broke. " + words),
                new Message(words, Samples.NINE, "Since Monday.\n" + words)),
            2);
    return Composed.prompt(
        Samples.delivery("1", Samples.say("fix it")), background, new Random(SEED));
  }

  @TestFactory
  Stream<DynamicTest> nothingOfOthersStandsOutsideItsFence() {
    var piece =
        Pattern.compile(
            "^BEGIN %1$s\n.*?\nEND %1$s$".formatted(fence()), Pattern.MULTILINE | Pattern.DOTALL);
    var harmless = piece.matcher(prompt("harmless")).replaceAll("PIECE");
    assertThat(harmless).contains("PIECE").doesNotContain("harmless", "Sam");
    return Attack.all().stream()
        .map(
            attack ->
                dynamicTest(
                    attack.name(),
                    () ->
                        assertThat(piece.matcher(prompt(attack.words(fence()))).replaceAll("PIECE"))
                            .isEqualTo(harmless)));
  }
}
