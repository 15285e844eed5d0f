package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.testkit.Samples;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JiraMissedDeliveriesTest {
  private final JiraTracker tracker = new JiraTracker(true);

  @AfterEach
  void close() {
    tracker.close();
  }

  private MissedDeliveries missed() {
    return tracker
        .surface()
        .missed()
        .since(
            Samples.NINE.minusSeconds(60),
            List.of(new Conversation(new SurfaceId("jira"), "SHOP-7")));
  }

  @Test
  void anIssueThatCannotBeReadHidesNoOther() {
    tracker.platform().finds("SHOP-6", "no key", "../..", "SHOP-7", "SHOP-8");
    var id = tracker.platform().says("@agent fix it");

    assertThat(((MissedDeliveries.Listed) missed()).all())
        .extracting(heard -> heard.delivery().meaning())
        .containsExactly("comment " + id + " created");
  }

  @Test
  void missedDeliveriesAreUnknownWhileJiraIsOverloaded() {
    tracker.platform().answersAll(503, 17);

    assertThat(missed())
        .isInstanceOfSatisfying(
            MissedDeliveries.Unknown.class,
            unknown -> assertThat(unknown.retryAfter().orElseThrow()).hasSeconds(17));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void fiftyChangedIssuesAreReadAndTheNextCheckContinues(boolean isCloud) {
    try (var many = new JiraTracker(isCloud)) {
      var keys = IntStream.range(0, 160).mapToObj(number -> "SHOP-1" + number);
      many.platform().finds(keys.toArray(String[]::new));
      var source = many.surface().missed();

      var first = source.since(Samples.NINE, List.of());
      assertThat(first).isEqualTo(continuedAt(Samples.NINE.plusSeconds(50)));

      // The query is by minutes, so it finds the first ones again.
      var last = source.since(Samples.NINE, Samples.NINE.plusSeconds(130), List.of());
      assertThat(last).isEqualTo(MissedDeliveries.Listed.NOTHING);
      assertThat(many.platform().requests())
          .filteredOn(call -> call.contains("expand=changelog"))
          .hasSize(50 + 30)
          .anyMatch(call -> call.contains("SHOP-1159?"));
    }
  }

  private static MissedDeliveries continuedAt(Instant at) {
    return new MissedDeliveries.Listed(List.of(), Optional.empty(), Optional.of(at));
  }
}
