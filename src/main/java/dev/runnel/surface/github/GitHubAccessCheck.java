package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Decides who may start and steer runs: people with the required role in the repository, looked up
/// through GitHub's API. The association in a payload does not distinguish read from write access.
record GitHubAccessCheck(GitHubApi api, GitHubConfig config) {
  private static final String TEAM = "team:";
  private static final String USER = "user:";
  private static final String APP = "[bot]";

  /// An edit is always the author's own. An event that stops a run, such as the closing of the
  /// issue, counts only from people with the role, because an author may close their own issue, and
  /// from apps, which only admins install.
  Admission admit(RepositoryIssue issue, Delivery delivery) {
    if (!config.accepts(issue.owner())) {
      return new Admission.TurnedAway("nobody accepted the account " + issue.owner());
    }
    var login = delivery.actor().id();
    var isStop = delivery.intent() instanceof Intent.Cancel;
    return (!delivery.addressed() && (!isStop || login.endsWith(APP)))
            || delivery.intent() instanceof Intent.Amend
            || issue.owner().equalsIgnoreCase(login)
            || hasRole(issue, login, delivery)
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender does not have the role in the repository");
  }

  /// The teams that contain the account, and its number, which stays when the account is renamed.
  ///
  /// @param names teams are named `team:acme/platform`, accounts `user:583231`; other names are
  ///   left out
  Set<String> groups(RepositoryIssue issue, String login, Set<String> names) {
    return names.stream()
        .filter(name -> isIn(issue, login, name))
        .collect(Collectors.toUnmodifiableSet());
  }

  private boolean isIn(RepositoryIssue issue, String login, String name) {
    if (name.startsWith(TEAM)) {
      var parts = name.substring(TEAM.length()).split("/", 2);
      return parts.length == 2
          && api.membership(issue, parts[0], parts[1], login)
              .found()
              .filter(it -> Json.text(it, "state").equals(Optional.of("active")))
              .isPresent();
    }
    return name.startsWith(USER)
        && api.user(issue, login)
            .found()
            .filter(it -> it.path("id").asText().equals(name.substring(USER.length())))
            .isPresent();
  }

  private boolean hasRole(RepositoryIssue issue, String login, Delivery delivery) {
    return switch (api.permission(issue, login)) {
      case ApiResult.Done(var permission) -> isEnough(permission);
      case ApiResult.Gone _ -> false;
      case ApiResult.Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
      case ApiResult.Refused _ -> belongs(issue, delivery);
    };
  }

  /// Custom roles of an organization have their own name and are based on one of GitHub's.
  private boolean isEnough(JsonNode permission) {
    return Json.text(permission, "role_name")
        .flatMap(GitHubConfig.Access::of)
        .or(() -> Json.text(permission, "permission").flatMap(GitHubConfig.Access::of))
        .filter(role -> role.compareTo(config.access()) >= 0)
        .isPresent();
  }

  /// A token without write access may not look up permissions. Then GitHub's own rules decide: only
  /// people who belong to a repository can set labels there.
  private boolean belongs(RepositoryIssue issue, Delivery delivery) {
    var comment = delivery.origin().message().filter(ref -> CommentKind.of(ref).isPresent());
    return comment.isEmpty()
        || api.comment(issue, comment.get()).found().filter(AuthorPolicy::mayAsk).isPresent();
  }
}
