package dev.runnel.surface.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerUnavailable;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides who may start and steer runs: the accounts that the settings list or, if they list none,
/// those who can edit the issue. Apps may only stop runs, by changing the issue.
record JiraAccessCheck(JiraApi api, Set<String> access) {
  private static final Logger log = LoggerFactory.getLogger(JiraAccessCheck.class);
  private static final String GROUP = "group:";

  boolean permits(JiraIssue issue, Delivery delivery) {
    var person = delivery.actor().id();
    if (delivery.addressed()) {
      return mayAsk(issue, person);
    }
    return !(delivery.intent() instanceof Intent.Cancel) || mayStop(issue, person);
  }

  /// Whether a change of the issue by that account stops the run. A change by an app does, such as
  /// a closing by Jira's automation, because only admins install apps and set up rules.
  private boolean mayStop(JiraIssue issue, String person) {
    if (mayAsk(issue, person) || isApp(person)) {
      return true;
    }
    var now = api.issue(issue);
    // A run cannot work on an issue that was deleted or moved out of our reach, whoever did that.
    return now.isGone() || now.found().filter(it -> mayAskAfterMove(issue, it, person)).isPresent();
  }

  /// Jira also finds a moved issue by its old key, but not necessarily the people who can edit it.
  private boolean mayAskAfterMove(JiraIssue issue, JsonNode now, String person) {
    return Json.text(now, "key")
        .flatMap(JiraIssue::of)
        .filter(key -> !key.equals(issue) && mayAsk(key, person))
        .isPresent();
  }

  private boolean isApp(String person) {
    return api.user(person).found().filter(JiraSite::isApp).isPresent();
  }

  /// @param person an account id; on Data Center a user name
  boolean mayAsk(JiraIssue issue, String person) {
    if (access.isEmpty()) {
      return mayEdit(issue, person);
    }
    return access.contains(person) || isInGroup(person);
  }

  private boolean mayEdit(JiraIssue issue, String person) {
    return switch (api.editors(issue, person)) {
      case ApiResult.Done(var users) -> isAmong(users, person);
      case ApiResult.Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
      case ApiResult.Gone _ -> false;
      case ApiResult.Refused _ -> {
        log.error(
            "access cannot be checked, nobody may start runs issue={} why=\"the account may not"
                + " look up who can edit\" remedy=\"give it Administer Projects, or list people in"
                + " {}\"",
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

  private boolean isInGroup(String person) {
    if (access.stream().noneMatch(each -> each.startsWith(GROUP))) {
      return false;
    }
    return api.user(person)
        .found()
        .filter(JiraAccessCheck::isPerson)
        .filter(user -> groups(user).anyMatch(group -> access.contains(GROUP + group)))
        .isPresent();
  }

  private static Stream<String> groups(JsonNode user) {
    return Json.texts(user.path("groups").path("items"), "name").stream();
  }
}
