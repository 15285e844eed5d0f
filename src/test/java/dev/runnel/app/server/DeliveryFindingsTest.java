package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.port.HealthCheck.Finding;
import dev.runnel.testkit.Samples;
import dev.runnel.web.RequestMetrics;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// What `doctor` says about the deliveries of a platform.
class DeliveryFindingsTest {
  private static final SurfaceId GITHUB = new SurfaceId("github");
  private static final Instant NOW = Samples.NINE.plusSeconds(3_600);

  private final RequestMetrics requests = new RequestMetrics();

  private Finding finding(SurfaceId surface) {
    return new DeliveryFindings(requests, Samples.NINE).of(surface, "GitHub", NOW);
  }

  private void came(SurfaceId surface, String result, int times) {
    for (var i = 0; i < times; i++) {
      requests.count(surface, result, NOW.minusSeconds(120));
    }
  }

  @Test
  void aPlatformThatSentNothingSinceTheStartIsNamed() {
    assertThat(finding(GITHUB))
        .isEqualTo(new Finding("GitHub deliveries", true, "none since the start 1 h ago"));
  }

  @Test
  void findingShowsTheTimeOfTheLastDelivery() {
    came(GITHUB, "accepted", 1);

    assertThat(finding(GITHUB).how()).startsWith("the last arrived 2 min");
    assertThat(finding(GITHUB).isWell()).isTrue();
  }

  @Test
  void onlyRejectedDeliveriesIndicateAWrongSigningSecret() {
    came(GITHUB, "rejected", 1);
    assertThat(finding(GITHUB).isWell()).isFalse();
    assertThat(finding(GITHUB).how()).contains("rejected 2 min", "Check the signing secret");

    requests.count(GITHUB, "answered", NOW.minusSeconds(60));
    assertThat(finding(GITHUB).isWell()).isTrue();
    assertThat(finding(GITHUB).how()).doesNotContain("secret");
  }

  @Test
  void manyDeliveriesUnderTwoIdsShowASecondWebhook() {
    came(GITHUB, "accepted", 6);
    came(GITHUB, "known", 6);

    assertThat(finding(GITHUB).how()).contains("6 arrived twice", "second webhook");
    assertThat(finding(GITHUB).isWell()).isTrue();
  }

  @Test
  void fewRepeatedOrSlackDeliveriesIndicateNoSecondWebhook() {
    came(GITHUB, "accepted", 100);
    came(GITHUB, "known", 6);
    var slack = new SurfaceId("slack");
    came(slack, "accepted", 6);
    came(slack, "known", 6);

    assertThat(finding(GITHUB).how()).doesNotContain("webhook");
    assertThat(finding(slack).how()).doesNotContain("webhook");
  }
}
