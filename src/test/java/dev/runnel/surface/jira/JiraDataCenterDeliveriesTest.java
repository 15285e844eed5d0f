package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.run.Request;
import dev.runnel.testkit.Tasks;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Deliveries as a Data Center makes them: people by their names, text in wiki markup, no id, no
/// signature, and a comment told twice, in two ways.
class JiraDataCenterDeliveriesTest {
  private final JiraTracker tracker = new JiraTracker(false);

  @AfterEach
  void close() {
    tracker.close();
  }

  private Delivery accepted(String name) {
    var request =
        JiraRequests.at(JiraRequests.golden(name), Jira.PATH + "/a%20jira%20secret", Map.of());
    var webhookResult = tracker.surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  @Test
  void aLabelStartsARun() {
    var delivery = accepted("data-center-issue-labeled");

    assertThat(delivery.intent())
        .isEqualTo(Tasks.workOn("issue", "Checkout fails for carts with 0 items"));
    assertThat(delivery.actor().id()).isEqualTo("dana");
    assertThat(delivery.snapshot().body()).contains("## Steps\n\n1. Empty the cart\n1. Check out");
  }

  @ParameterizedTest
  @ValueSource(strings = {"data-center-comment-created", "data-center-issue-commented"})
  void commentIsAcceptedFromBothDataCenterEvents(String name) {
    var delivery = accepted(name);

    assertThat(delivery.intent()).isEqualTo(new Intent.Say(Request.of("please also add a test")));
    assertThat(delivery.meaning()).isEqualTo("comment 10100 created");
    assertThat(delivery.actor().id()).isEqualTo("dana");
  }

  @Test
  void bothEventsOfACommentHaveTheSameMeaning() {
    var created = accepted("data-center-comment-created");
    var commented = accepted("data-center-issue-commented");

    assertThat(created.meaning()).isEqualTo(commented.meaning());
    assertThat(created.id()).isNotEqualTo(commented.id());
    assertThat(created.id().value()).startsWith("jira:sha256-");
  }
}
