package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.TriggerLabel;
import java.util.stream.Stream;

/// Decides who may start and steer runs: members of the workspace, never apps or external users.
/// Apps may only stop runs, by changing the issue. Also checks whether a removed label was the
/// trigger label.
record LinearAccessCheck(LinearApi api, LinearConfig.Access access, TriggerLabel trigger) {
  Admission admit(String issue, Delivery delivery) {
    if (delivery.meaning().startsWith(LinearPayloads.UNLABEL_BY_IDS) && !wasTrigger(delivery)) {
      return new Admission.TurnedAway("another label was removed");
    }
    return permits(issue, delivery)
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender is not a member of the workspace");
  }

  private boolean permits(String issue, Delivery delivery) {
    var person = delivery.actor().id();
    if (delivery.addressed()) {
      return api.user(person).found().filter(this::mayAsk).isPresent();
    }
    return !(delivery.intent() instanceof Intent.Cancel) || mayStop(issue, person);
  }

  /// Whether a change of the issue by that sender stops the run. A change by an app does, such as a
  /// closing by Linear's GitHub integration, because only admins install apps and integrations.
  private boolean mayStop(String issue, String person) {
    return LinearPayloads.isAutomation(person)
        || api.user(person).found().filter(it -> isApp(it) || mayAsk(it)).isPresent()
        || isDeleted(issue);
  }

  private static boolean isApp(JsonNode user) {
    return user.path("app").asBoolean();
  }

  /// Whether the issue is in the trash, or was deleted for good, so that its run can no longer work
  /// on it, whoever did that.
  private boolean isDeleted(String issue) {
    var now = api.trashed(issue);
    return now.isGone() || now.found().filter(it -> it.path("trashed").asBoolean()).isPresent();
  }

  /// @param user as returned by the API
  boolean mayAsk(JsonNode user) {
    return user.path("active").asBoolean()
        && !isApp(user)
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
