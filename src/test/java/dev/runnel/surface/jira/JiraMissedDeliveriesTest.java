package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.testkit.Samples;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

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
  void whileJiraIsOverloadedWhatWasMissedIsNotKnown() {
    tracker.platform().answersAll(503, 17);

    assertThat(missed())
        .isInstanceOfSatisfying(
            MissedDeliveries.Unknown.class,
            unknown -> assertThat(unknown.retryAfter().orElseThrow()).hasSeconds(17));
  }
}
