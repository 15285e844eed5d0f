package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides who may start and steer runs: the accounts that the settings list or, if they list none,
/// those who can edit the issue. Apps never may.
final class JiraAccessCheck {
  private static final Logger log = LoggerFactory.getLogger(JiraAccessCheck.class);
  private static final String GROUP = "group:";

  private final JiraApi api;
  private final Set<String> access;

  JiraAccessCheck(JiraApi api, Set<String> access) {
    this.api = api;
    this.access = access;
  }

  Admission admit(JiraIssue issue, Delivery delivery) {
    try {
      return !delivery.addressed() || mayAsk(issue, delivery.actor().id())
          ? Admission.ADMITTED
          : new Admission.TurnedAway("whoever said it may not edit the issue, or is not listed");
    } catch (Pages.Waits waits) {
      return new Admission.Unknown(waits.after(), waits.why());
    }
  }

  /// @param person an account id; on Data Center a user name
  boolean mayAsk(JiraIssue issue, String person) throws Pages.Waits {
    if (access.isEmpty()) {
      return mayEdit(issue, person);
    }
    return access.contains(person) || isInGroup(person);
  }

  private boolean mayEdit(JiraIssue issue, String person) throws Pages.Waits {
    return switch (api.editors(issue, person)) {
      case ApiResult.Done(var users) -> isAmong(users, person);
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _ -> false;
      case ApiResult.Refused _ -> {
        log.error(
            "nobody may start runs issue={} why=the account may not look up who can edit todo=give"
                + " it Administer Projects, or list people in {}",
            issue,
            JiraConfig.ACCESS);
        yield false;
      }
    };
  }

  /// Data Center also returns users whose name only starts with the query.
  private boolean isAmong(JsonNode users, String person) {
    for (var user : users) {
      if (isPerson(user) && api.site().id(user).filter(person::equals).isPresent()) {
        return true;
      }
    }
    return false;
  }

  private static boolean isPerson(JsonNode user) {
    return user.path("active").asBoolean(true) && !JiraSite.isApp(user);
  }

  private boolean isInGroup(String person) throws Pages.Waits {
    if (access.stream().noneMatch(each -> each.startsWith(GROUP))) {
      return false;
    }
    return switch (api.user(person)) {
      case ApiResult.Done(var user) ->
          isPerson(user)
              && Json.texts(user.path("groups").path("items"), "name").stream()
                  .anyMatch(group -> access.contains(GROUP + group));
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _, ApiResult.Refused _ -> false;
    };
  }
}
