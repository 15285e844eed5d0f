package dev.runnel.service.run.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.limit.QueueOrder.Head;
import dev.runnel.service.run.limit.QueueOrder.Served;
import dev.runnel.service.run.limit.QueueOrder.Waiting;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
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
  void runsOfOnePersonStartInTheOrderOfTheirRequests() {
    assertThat(order(List.of(run("b", "ann", 2), run("a", "ann", 1)), Map.of()))
        .containsExactly("a", "b");
  }

  @Test
  void queueAlternatesBetweenPeople() {
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
  void personWithoutActiveRunsComesBeforeThoseWithActiveRuns() {
    var ofAnn = IntStream.range(0, 300).mapToObj(i -> run("a" + i, "ann", i));
    var waiting = Stream.concat(ofAnn, Stream.of(run("b", "ben", 400))).toList();

    assertThat(order(waiting, Map.of("ann", new Served(3, NINE)))).startsWith("b", "a0", "a1");
  }

  @Test
  void personServedLongestAgoComesFirst() {
    assertThat(
            order(
                List.of(run("a", "ann", 1), run("b", "ben", 2)),
                Map.of("ann", new Served(0, NINE), "ben", new Served(0, NINE.minusSeconds(9)))))
        .containsExactly("b", "a");
  }

  @Test
  void firstOfTheQueueEqualsTheFirstOfTheLongestWaitingPerPerson() {
    var chance = new Random(7);
    for (int i = 0; i < 500; i++) {
      var waiting =
          IntStream.range(0, 1 + chance.nextInt(12))
              .mapToObj(n -> run("run" + n, "person" + chance.nextInt(4), chance.nextInt(6)))
              .toList();
      var served = new HashMap<String, Served>();
      for (int n = 0; n < chance.nextInt(5); n++) {
        served.put(
            "person" + n, new Served(chance.nextInt(3), NINE.minusSeconds(chance.nextInt(3))));
      }
      var skipped = Set.of("run" + chance.nextInt(6), "run" + (6 + chance.nextInt(6)));

      assertThat(QueueOrder.first(heads(waiting, skipped), served))
          .isEqualTo(
              QueueOrder.of(waiting, served).stream()
                  .filter(each -> !skipped.contains(each.run()))
                  .findFirst());
    }
  }

  /// For each person, the run that waits longest of those that are not skipped.
  private static List<Head> heads(List<Waiting> waiting, Set<String> skipped) {
    var heads = new LinkedHashMap<String, Head>();
    var places = new HashMap<String, Integer>();
    waiting.stream()
        .sorted(Comparator.comparing(Waiting::since).thenComparing(Waiting::run))
        .forEach(
            each -> {
              var place = places.merge(each.person(), 1, Integer::sum);
              if (!skipped.contains(each.run())) {
                heads.putIfAbsent(each.person(), new Head(each, place));
              }
            });
    return List.copyOf(heads.values());
  }
}
