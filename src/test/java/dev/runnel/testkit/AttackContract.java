package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.Composed;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.port.Surface;
import dev.runnel.testkit.FakeTracker.Written;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.time.Instant;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// What people from outside write stays their words, on every tracker: the corpus goes through its
/// way of making a prompt and of hearing a command.
public interface AttackContract {
  /// More than this no background takes.
  int MAX = 110_000;

  int SEED = 7;

  /// A tracker of its own for each attack.
  Tracker target();

  /// The issue gets the trigger label from somebody who may, as it is then.
  RawRequest labelled(String title, String description);

  /// As the tracker knows somebody who is heard, and somebody who is not.
  String heard();

  String stranger();

  @TestFactory
  default Stream<DynamicTest> nothingOfOthersStandsOutsideItsFence() throws Exception {
    var harmless = skeleton(prompt("Harmless words.", "Harmless words.", "Harmless"));
    return each(
        (attack, words) -> {
          var prompt = prompt(words, words, words);
          assertThat(skeleton(prompt)).isEqualTo(harmless);
          assertThat(prompt).hasSizeLessThan(MAX);
          assertThat(prompt.codePoints().filter(AttackContract::isUnseen).boxed()).isEmpty();
        });
  }

  @TestFactory
  default Stream<DynamicTest> whatPeopleDoNotSeeIsGoneAndWhatTheySeeIsThere() {
    return each(
        (attack, words) -> {
          var prompt = prompt("Harmless words.", words, "Harmless");
          attack.kept().forEach(kept -> assertThat(prompt).contains(kept));
          attack.gone().forEach(gone -> assertThat(prompt).doesNotContain(gone));
        });
  }

  @TestFactory
  default Stream<DynamicTest> nobodyElseIsObeyed() {
    return each(
        (attack, words) -> {
          try (var tracker = target()) {
            for (var person : Person.values()) {
              var isHeard = isHeard(tracker, tracker.commented(person, words));
              assertThat(isHeard)
                  .as("%s", person)
                  .isEqualTo(person == Person.MAINTAINER && attack.isCommand());
            }
          }
        });
  }

  @Test
  default void commentsBeforeAndAfterTheRequestAreToldApart() {
    try (var tracker = target()) {
      var before = Samples.NINE.minusSeconds(600);
      var after = Samples.NINE.plusSeconds(600);
      writes(tracker, heard(), before, before, "Said before.");
      writes(tracker, heard(), before, after, "Changed after.");
      writes(tracker, heard(), after, after, "Said after.");
      writes(tracker, stranger(), before, before, "Said by somebody else.");
      var delivery = delivery(tracker.surface(), labelled("The title", "The description"));
      tracker.platform().becomes("Another title", "Another description");

      assertThat(prompt(tracker.surface(), delivery))
          .contains("Said before.", "Title: The title", "The description")
          .contains("2 messages were left out here, because they came or changed after the request")
          .contains("1 message was left out here, because of who wrote or who may read it")
          .doesNotContain("Changed after", "Said after", "somebody else", "Another");
    }
  }

  @Test
  default void copiedMarkerDoesNotMakeAForeignPostOurs() {
    try (var tracker = target()) {
      var conversation = delivery(tracker.surface(), labelled("Title", "The root")).conversation();
      tracker.platform().writes(heard(), "Mine.\n\n<!-- runnel:notice=n1 -->");
      var notice =
          new Notice(
              new NoticeId("n1"),
              conversation,
              new Update.Message(Samples.DANA, "Ours.", false),
              Origin.NONE,
              Samples.NINE,
              1);

      assertThat(tracker.surface().post(notice, null)).isInstanceOf(Posting.Posted.class);
      assertThat(tracker.platform().comments())
          .extracting(FakeTracker.Comment::text)
          .anyMatch(text -> text.contains("Ours."));
    }
  }

  /// The text of a comment with these words of an agent.
  default String posted(String words) {
    try (var tracker = target()) {
      var conversation = delivery(tracker.surface(), labelled("Title", "The root")).conversation();
      var notice =
          new Notice(
              new NoticeId("n2"),
              conversation,
              new Update.Message(Samples.DANA, words, false),
              Origin.NONE,
              Samples.NINE,
              1);
      assertThat(tracker.surface().post(notice, null)).isInstanceOf(Posting.Posted.class);
      return tracker.platform().comments().getLast().text();
    }
  }

  @Test
  default void newestMessagesAreReadAndTheOthersAreCounted() {
    try (var tracker = target()) {
      for (var number = 10; number < 70; number++) {
        var at = Samples.NINE.minusSeconds(1_000 - number);
        writes(tracker, heard(), at, at, "number " + number + " " + "long ".repeat(500));
      }
      var prompt =
          prompt(tracker.surface(), delivery(tracker.surface(), labelled("Title", "The root")));

      assertThat(prompt)
          .contains("The root", "number 69 ")
          .containsPattern("\\(\\d\\d messages were left out here\\)")
          .doesNotContain("number 10 ")
          .hasSizeLessThan(MAX);
    }
  }

  private Stream<DynamicTest> each(BiConsumer<Attack, String> check) {
    var attacks = Attack.all();
    assertThat(attacks).hasSizeGreaterThan(40);
    return attacks.stream()
        .map(
            attack ->
                dynamicTest(attack.name(), () -> check.accept(attack, attack.words(fence()))));
  }

  /// @param line where one line is: the title, and the name of somebody
  private String prompt(String line, String words, String name) {
    try (var tracker = target()) {
      var at = Samples.NINE.minusSeconds(600);
      var around = "It broke.\n\n" + words + "\n\nSince Monday.";
      tracker.platform().writes(new Written(heard(), "Dana " + name, at, at), around, false);
      tracker.platform().writes(new Written(stranger(), name, at, at), words, false);
      return prompt(
          tracker.surface(), delivery(tracker.surface(), labelled("Broken " + line, around)));
    }
  }

  private static void writes(
      Tracker tracker, String who, Instant at, Instant changed, String text) {
    tracker.platform().writes(new Written(who, who, at, changed), text, false);
  }

  private static String prompt(Surface surface, Delivery delivery) {
    return Composed.prompt(delivery, surface.background().read(delivery), new Random(SEED));
  }

  /// The word that the fence will have.
  private static String fence() {
    return "%016x".formatted(new Random(SEED).nextLong());
  }

  /// All that stands outside the fences.
  private static String skeleton(String prompt) {
    var piece =
        Pattern.compile(
            "^BEGIN %1$s\n.*?\nEND %1$s$".formatted(fence()), Pattern.MULTILINE | Pattern.DOTALL);
    assertThat(prompt).contains("BEGIN " + fence());
    return piece.matcher(prompt).replaceAll("PIECE");
  }

  private static boolean isUnseen(int point) {
    return switch (Character.getType(point)) {
      case Character.CONTROL -> point != '\n' && point != '\t';
      case Character.PRIVATE_USE, Character.SURROGATE -> true;
      // Within words and pictures these two are seen.
      case Character.FORMAT -> point != 0x200C && point != 0x200D;
      default -> point == 0x2028 || point == 0x2029 || point >= 0xE0000;
    };
  }

  private static boolean isHeard(Tracker tracker, RawRequest request) {
    return switch (tracker.surface().receive(request)) {
      case WebhookResult.Accepted(var delivery, _) ->
          tracker.surface().senders().admit(delivery) instanceof Admission.Admitted;
      case WebhookResult.Answered _ -> false;
      case WebhookResult.Rejected(_, var why) -> throw new AssertionError("rejected: " + why);
    };
  }

  private static Delivery delivery(Surface surface, RawRequest request) {
    var webhookResult = surface.receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    var delivery = ((WebhookResult.Accepted) webhookResult).delivery();
    assertThat(surface.senders().admit(delivery)).isInstanceOf(Admission.Admitted.class);
    return delivery;
  }
}
