package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.TriggerLabel;
import java.util.stream.Stream;

/// Decides who may start and steer runs: members of the workspace, never apps or external users.
/// Also checks whether a removed label was the trigger label.
record LinearAccessCheck(LinearApi api, LinearConfig.Access access, TriggerLabel trigger) {
  Admission admit(Delivery delivery) {
    if (delivery.meaning().startsWith(LinearPayloads.UNLABEL_BY_IDS) && !wasTrigger(delivery)) {
      return new Admission.TurnedAway("another label was removed");
    }
    return !delivery.addressed()
            || api.user(delivery.actor().id()).found().filter(this::mayAsk).isPresent()
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender is not a member of the workspace");
  }

  /// @param user as returned by the API
  boolean mayAsk(JsonNode user) {
    return user.path("active").asBoolean()
        && !user.path("app").asBoolean()
        && access.isIn(user.path("admin").asBoolean(), user.path("guest").asBoolean());
  }

  /// A label that is not found was itself deleted, not removed from the issue.
  private boolean wasTrigger(Delivery delivery) {
    var ids = delivery.meaning().substring(LinearPayloads.UNLABEL_BY_IDS.length()).split(" ", 2)[0];
    return Stream.of(ids.split(",", -1))
        .flatMap(id -> api.labelName(id).found().stream())
        .flatMap(label -> Json.text(label, "name").stream())
        .anyMatch(trigger::isTrigger);
  }
}
