package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import dev.runnel.surface.kit.TriggerLabel;

/// Decides who may start and steer runs: members of the workspace, never apps or external users.
/// Also checks whether a removed label was the trigger label.
final class LinearAccessCheck {
  private final LinearApi api;
  private final LinearConfig.Access access;
  private final TriggerLabel trigger;

  LinearAccessCheck(LinearApi api, LinearConfig config) {
    this.api = api;
    this.access = config.access();
    this.trigger = config.tracker().trigger();
  }

  Admission admit(Delivery delivery) {
    try {
      if (delivery.meaning().startsWith(LinearPayloads.UNNAMED) && !wasTrigger(delivery)) {
        return new Admission.TurnedAway("another label was taken off");
      }
      return !delivery.addressed() || mayAsk(delivery.actor().id())
          ? Admission.ADMITTED
          : new Admission.TurnedAway("whoever said it is no member of the workspace");
    } catch (Pages.Waits waits) {
      return new Admission.Unknown(waits.after(), waits.why());
    }
  }

  private boolean mayAsk(String user) throws Pages.Waits {
    return switch (api.user(user)) {
      case ApiResult.Done(var account) -> isHeard(account);
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _, ApiResult.Refused _ -> false;
    };
  }

  /// @param user as returned by the API
  boolean isHeard(JsonNode user) {
    return user.path("active").asBoolean()
        && !user.path("app").asBoolean()
        && access.isIn(user.path("admin").asBoolean(), user.path("guest").asBoolean());
  }

  private boolean wasTrigger(Delivery delivery) throws Pages.Waits {
    var ids = delivery.meaning().substring(LinearPayloads.UNNAMED.length()).split(" ", 2)[0];
    for (var id : ids.split(",", -1)) {
      switch (api.labelName(id)) {
        case ApiResult.Done(var label) -> {
          if (Json.text(label, "name").filter(trigger::isTrigger).isPresent()) {
            return true;
          }
        }
        case ApiResult.Busy busy -> throw new Pages.Waits(busy);
        // The label itself was deleted, not removed from the issue.
        case ApiResult.Gone _, ApiResult.Refused _ -> {}
      }
    }
    return false;
  }
}
