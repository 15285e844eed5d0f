package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.QueueOrder.Served;
import dev.runnel.service.run.QueueOrder.Waiting;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QueueOrderTest {
  private static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");

  private static Waiting run(String id, String person, int second) {
    return new Waiting(id, person, true, NINE.plusSeconds(second));
  }

  private static List<String> order(List<Waiting> waiting, Map<String, Served> served) {
    return QueueOrder.of(waiting, served).stream().map(Waiting::run).toList();
  }

  @Test
  void theRunsOfOnePersonGoInTheOrderInWhichTheyWereAskedFor() {
    assertThat(order(List.of(run("b", "ann", 2), run("a", "ann", 1)), Map.of()))
        .containsExactly("a", "b");
  }

  @Test
  void peopleTakeTurns() {
    assertThat(
            order(
                List.of(
                    run("a1", "ann", 1),
                    run("a2", "ann", 2),
                    run("a3", "ann", 3),
                    run("b1", "ben", 4),
                    run("b2", "ben", 5)),
                Map.of()))
        .containsExactly("a1", "b1", "a2", "b2", "a3");
  }

  @Test
  void whoHasRunsThatWorkComesAfterWhoHasNone() {
    var ofAnn = IntStream.range(0, 300).mapToObj(i -> run("a" + i, "ann", i));
    var waiting = Stream.concat(ofAnn, Stream.of(run("b", "ben", 400))).toList();

    assertThat(order(waiting, Map.of("ann", new Served(3, NINE)))).startsWith("b", "a0", "a1");
  }

  @Test
  void whereOneSlotIsFreeAtATimeWhoWasServedLongestAgoComesFirst() {
    assertThat(
            order(
                List.of(run("a", "ann", 1), run("b", "ben", 2)),
                Map.of("ann", new Served(0, NINE), "ben", new Served(0, NINE.minusSeconds(9)))))
        .containsExactly("b", "a");
  }
}
