package dev.runnel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.store.row.Urgency;
import dev.runnel.testkit.Samples;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FairTurnsTest {
  private static final String DANA = "fake:dana";
  private static final String SAM = "fake:sam";

  private long nanos;
  private final FairTurns turns = new FairTurns(() -> nanos);

  @Test
  void firstCommandOfAPersonIsNextHoweverMuchOfAnotherWaits() {
    addAll(DANA, 5_000);

    step();
    turns.add(turn("sam", Urgency.ORDINARY, SAM));

    // Dana and Sam take turns.
    assertThat(Stream.generate(this::step).limit(2).map(Turn::person)).contains(SAM);
  }

  @Test
  void stopIsTakenBeforeAThousandStarts() {
    addAll(DANA, 1_000);

    turns.add(turn("stop", Urgency.FIRST, DANA));

    assertThat(step().conversation().key()).isEqualTo("stop");
  }

  @Test
  void stopMovesAWaitingConversationForward() {
    addAll(DANA, 1_000);

    turns.add(turn("c/999", Urgency.FIRST, DANA));

    assertThat(step().conversation().key()).isEqualTo("c/999");
    assertThat(turns.waiting()).isEqualTo(999);
  }

  @Test
  void laterRowsDoNotMoveAConversationBack() {
    turns.add(turn("c/1", Urgency.FIRST, DANA));
    turns.add(turn("c/2", Urgency.ORDINARY, SAM));

    turns.add(turn("c/1", Urgency.LAST, DANA));

    assertThat(step().conversation().key()).isEqualTo("c/1");
  }

  @Test
  void progressWaitsForEverythingElse() {
    turns.add(turn("progress", Urgency.LAST, DANA));
    turns.add(turn("first post", Urgency.ORDINARY, SAM));
    turns.add(turn("end", Urgency.FIRST, SAM));

    assertThat(Stream.generate(this::step).limit(3).map(it -> it.conversation().key()))
        .containsExactly("end", "first post", "progress");
  }

  @Test
  void peopleTakeTurns() {
    addAll(DANA, 3);
    for (var key : List.of("s/1", "s/2", "s/3")) {
      turns.add(turn(key, Urgency.ORDINARY, SAM));
    }

    assertThat(Stream.generate(this::step).limit(6).map(Turn::person))
        .containsExactly(DANA, SAM, DANA, SAM, DANA, SAM);
  }

  @Test
  void placesOfAPersonTakeTurns() {
    for (var key : List.of("one/1", "one/2", "one/3", "other/1")) {
      turns.add(turn(key, Urgency.ORDINARY, DANA));
    }

    assertThat(Stream.generate(this::step).limit(4).map(it -> it.conversation().key()))
        .containsExactly("one/1", "other/1", "one/2", "one/3");
  }

  @Test
  void unknownPeopleTakeTurnsByPlace() {
    for (var key : List.of("one/1", "one/2", "other/1")) {
      turns.add(turn(key, Urgency.ORDINARY, ""));
    }

    assertThat(Stream.generate(this::step).limit(3).map(it -> it.conversation().key()))
        .containsExactly("one/1", "other/1", "one/2");
  }

  @Test
  void onePersonLeavesStepsToOthers() {
    addAll(DANA, 1_000);
    assertThat(beginAll()).isEqualTo(FairTurns.MOST_OF_PERSON);

    turns.add(turn("sam", Urgency.ORDINARY, SAM));

    assertThat(begin().person()).isEqualTo(SAM);
  }

  @Test
  void urgentStepsAreFreeHoweverManyOthersRun() {
    for (int person = 0; person < 10; person++) {
      addAll("fake:" + person, 100);
    }
    assertThat(beginAll()).isEqualTo(FairTurns.MOST_OF_CLASS);

    turns.add(turn("stop", Urgency.FIRST, DANA));

    assertThat(begin().conversation().key()).isEqualTo("stop");
  }

  @Test
  void urgentRowsLeaveStepsToOthers() {
    for (int i = 0; i < 1_000; i++) {
      turns.add(turn("stop/" + i, Urgency.FIRST, "fake:" + i % 10));
    }
    assertThat(beginAll()).isEqualTo(FairTurns.MOST_OF_CLASS);

    turns.add(turn("start", Urgency.ORDINARY, DANA));

    assertThat(begin().conversation().key()).isEqualTo("start");
  }

  @Test
  void endOfAStepFreesItForTheSamePerson() {
    addAll(DANA, FairTurns.MOST_OF_PERSON + 1);
    var first = begin();
    beginAll();

    turns.end(first.conversation());

    assertThat(turns.tryTake()).isPresent();
  }

  @Test
  void floodOfOnePersonDoesNotKeepOthersOut() {
    addAll(DANA, FairTurns.MOST_WAITING + 1_000);

    turns.add(turn("sam", Urgency.ORDINARY, SAM));

    assertThat(turns.waiting()).isEqualTo(FairTurns.MOST_WAITING);
    assertThat(Stream.generate(this::step).limit(2).map(Turn::person)).contains(SAM);
  }

  @Test
  void noFloodKeepsAStopOut() {
    for (int i = 0; i < FairTurns.MOST_WAITING; i++) {
      turns.add(turn("start/" + i, Urgency.ORDINARY, "fake:" + i));
    }

    turns.add(turn("stop", Urgency.FIRST, "fake:1"));

    assertThat(step().conversation().key()).isEqualTo("stop");
  }

  @Test
  void refusedTurnsAreReadAgainWhenHalfOfTheRoomIsFree() {
    addAll(DANA, FairTurns.MOST_WAITING + 1);
    assertThat(turns.isRoomForRefused()).isFalse();

    for (int i = 0; i < FairTurns.MOST_WAITING / 2; i++) {
      step();
    }

    assertThat(turns.isRoomForRefused()).isTrue();
    assertThat(turns.isRoomForRefused()).isFalse();
  }

  @Test
  void conversationWaitsForNoTurnWhileItsStepRuns() {
    turns.add(turn("c/1", Urgency.ORDINARY, DANA));
    var running = begin();

    turns.add(turn("c/1", Urgency.FIRST, SAM));

    assertThat(turns.tryTake()).isEmpty();
    turns.end(running.conversation());
    assertThat(turns.waiting()).isZero();
  }

  @Test
  void stepThatAnotherNodeTookIsFreeAgainAndMissesNoRow() {
    turns.add(turn("c/1", Urgency.ORDINARY, DANA));
    assertThat(turns.tryTake()).isPresent();
    turns.add(turn("c/1", Urgency.ORDINARY, DANA));
    assertThat(turns.tryTake()).isEmpty();

    nanos += Duration.ofSeconds(1).toNanos();

    assertThat(turns.tryTake()).isPresent();
  }

  @Test
  void conversationOfAnotherNodeIsAdmittedWhileAStepIsFree() {
    addAll(DANA, 100);
    beginAll();

    assertThat(turns.admit(turn("more", Urgency.ORDINARY, DANA))).isFalse();
    assertThat(turns.admit(turn("sam", Urgency.ORDINARY, SAM))).isTrue();
    assertThat(turns.isRunning(turn("sam", Urgency.ORDINARY, SAM).conversation())).isTrue();
  }

  private void addAll(String person, int count) {
    for (int i = 0; i < count; i++) {
      turns.add(turn((person.equals(DANA) ? "c/" : person + "/") + i, Urgency.ORDINARY, person));
    }
  }

  private Turn begin() {
    var turn = turns.tryTake().orElseThrow();
    assertThat(turns.begin(turn.conversation())).isTrue();
    return turn;
  }

  private Turn step() {
    var turn = begin();
    turns.end(turn.conversation());
    return turn;
  }

  private int beginAll() {
    var begun = new ArrayList<Turn>();
    for (var next = turns.tryTake(); next.isPresent(); next = turns.tryTake()) {
      turns.begin(next.get().conversation());
      begun.add(next.get());
    }
    return begun.size();
  }

  private static Turn turn(String key, Urgency urgency, String person) {
    return new Turn(new Conversation(Samples.SURFACE, key), urgency, person);
  }
}
