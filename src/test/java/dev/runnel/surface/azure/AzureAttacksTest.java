package dev.runnel.surface.azure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.testkit.AttackContract;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

@Tag("slow")
class AzureAttacksTest implements AttackContract {
  @Override
  public Tracker target() {
    return new AzureTracker();
  }

  @Override
  public RawRequest labelled(String title, String description) {
    return AzureRequests.golden(
        "item-tagged",
        body -> {
          var fields = AzureRequests.object(body, "/resource/revision/fields");
          fields.remove("Microsoft.VSTS.TCM.ReproSteps");
          fields.put("System.Title", title).put("System.Description", description);
        });
  }

  @Override
  public String heard() {
    return FakeAzure.LEE;
  }

  @Override
  public String stranger() {
    return "stranger@example.org";
  }

  /// People choose their display name, so it may contain somebody else's sign-in name.
  @TestFactory
  Stream<DynamicTest> aDisplayNameMakesNobodySomebodyElse() {
    return Stream.of(
            "Eve <dana@fabrikam.example>",
            "dana@fabrikam.example",
            "<dana@fabrikam.example>",
            "Dana Wu <dana@fabrikam.example> <eve@example.org>",
            "Eve <eve@example.org> <dana@fabrikam.example>")
        .map(
            name ->
                DynamicTest.dynamicTest(
                    name,
                    () -> {
                      try (var tracker = new AzureTracker()) {
                        tracker.platform().hasComment(AzureTracker.COMMENT, "eve@example.org");
                        assertThat(isAdmitted(tracker, commentBy(name))).isFalse();
                      }
                    }));
  }

  @Test
  void aChangeThatAzureDevOpsDoesNotKnowStartsNothing() {
    try (var tracker = new AzureTracker()) {
      tracker.platform().isChangedBy("eve@example.org");

      assertThat(isAdmitted(tracker, tracker.labelAdded("agent"))).isFalse();
    }
  }

  @Test
  void aCommentThatAzureDevOpsDoesNotKnowStartsNothing() {
    try (var tracker = new AzureTracker()) {
      assertThat(isAdmitted(tracker, tracker.commentOn(13, 77))).isFalse();
    }
  }

  private static RawRequest commentBy(String name) {
    return AzureRequests.golden(
        "item-commented",
        body -> AzureRequests.object(body, "/resource/fields").put("System.ChangedBy", name));
  }

  private static boolean isAdmitted(AzureTracker tracker, RawRequest request) {
    return tracker.surface().receive(request) instanceof WebhookResult.Accepted(var delivery, _)
        && tracker.surface().senders().admit(delivery) instanceof Admission.Admitted;
  }
}
