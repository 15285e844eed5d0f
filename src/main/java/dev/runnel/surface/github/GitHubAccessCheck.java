package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;

/// Decides who may start and steer runs: people with the required role in the repository, looked up
/// through GitHub's API. The association in a payload does not distinguish read from write access.
final class GitHubAccessCheck {
  private static final Admission STRANGER =
      new Admission.TurnedAway("whoever said it has not the role in the repository");

  private final GitHubApi api;
  private final GitHubConfig config;

  GitHubAccessCheck(GitHubApi api, GitHubConfig config) {
    this.api = api;
    this.config = config;
  }

  /// Issue events that stop a run apply whoever causes them; an edit is always the author's own.
  Admission admit(IssueKey issue, Delivery delivery) {
    if (!config.accepts(issue.owner())) {
      return new Admission.TurnedAway("nobody accepted the account " + issue.owner());
    }
    var login = delivery.actor().id();
    if (!delivery.addressed()
        || delivery.intent() instanceof Intent.Amend
        || issue.owner().equalsIgnoreCase(login)) {
      return Admission.ADMITTED;
    }
    return switch (api.permission(issue, login)) {
      case ApiResult.Done(var permission) -> isEnough(permission) ? Admission.ADMITTED : STRANGER;
      case ApiResult.Gone _ -> STRANGER;
      case ApiResult.Busy(var after, var why) -> new Admission.Unknown(after, why);
      case ApiResult.Refused _ -> byAssociation(issue, delivery);
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
  private Admission byAssociation(IssueKey issue, Delivery delivery) {
    var said = delivery.origin().message().flatMap(issue::path);
    if (said.isEmpty()) {
      return Admission.ADMITTED;
    }
    return switch (api.read(issue, said.get())) {
      case ApiResult.Done(var comment) ->
          AuthorPolicy.mayAsk(comment) ? Admission.ADMITTED : STRANGER;
      case ApiResult.Busy(var after, var why) -> new Admission.Unknown(after, why);
      case ApiResult.Gone _, ApiResult.Refused _ -> STRANGER;
    };
  }
}
