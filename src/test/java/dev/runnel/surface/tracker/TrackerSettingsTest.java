package dev.runnel.surface.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrackerSettingsTest {
  private static IssueRules rules(String cancelOn) {
    return new IssueRules(TrackerSettings.from(Map.of("RUNNEL_CANCEL_ON", cancelOn)));
  }

  @Test
  void everyCancelTriggerAppliesUnlessSomeAreNamed() {
    var all = new IssueRules(TrackerSettings.from(Map.of()));
    for (var issueCancelTrigger : IssueCancelTrigger.values()) {
      assertThat(all.ended(issueCancelTrigger, "issue")).isPresent();
    }

    var some = rules("unlabel, delete");
    assertThat(some.ended(IssueCancelTrigger.DELETE, "issue")).isPresent();
    assertThat(some.ended(IssueCancelTrigger.CLOSE, "issue")).isEmpty();
    assertThat(some.relabelled(List.of("agent"), List.of(), Optional.empty(), "issue", true))
        .isPresent();
  }

  @Test
  void allCancelTriggersCanBeDisabled() {
    for (var issueCancelTrigger : IssueCancelTrigger.values()) {
      assertThat(rules("off").ended(issueCancelTrigger, "issue")).isEmpty();
    }
  }
}
