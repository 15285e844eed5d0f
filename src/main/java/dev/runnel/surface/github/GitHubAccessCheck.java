package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.tracker.RepositoryIssue;
import java.util.Optional;

/// Decides who may start and steer runs: people with the required role in the repository, looked up
/// through GitHub's API. The association in a payload does not distinguish read from write access.
record GitHubAccessCheck(GitHubApi api, GitHubConfig config) {
  /// Issue events that stop a run apply whoever causes them; an edit is always the author's own.
  Optional<String> refusal(RepositoryIssue issue, Delivery delivery) {
    if (!config.accepts(issue.owner())) {
      return Optional.of("nobody accepted the account " + issue.owner());
    }
    var login = delivery.actor().id();
    return !delivery.addressed()
            || delivery.intent() instanceof Intent.Amend
            || issue.owner().equalsIgnoreCase(login)
            || hasRole(issue, login, delivery)
        ? Optional.empty()
        : Optional.of("whoever said it has not the role in the repository");
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
    var said = delivery.origin().message().filter(ref -> CommentKind.of(ref).isPresent());
    return said.isEmpty()
        || api.comment(issue, said.get()).found().filter(AuthorPolicy::mayAsk).isPresent();
  }
}
