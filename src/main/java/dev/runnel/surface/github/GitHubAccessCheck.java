package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;

/// Who may start and steer runs: people who have the role in the repository, as GitHub itself says
/// when asked. The association that a payload carries does not tell a member who may only read from
/// one who may write.
final class GitHubAccessCheck {
  private static final Admission STRANGER =
      new Admission.TurnedAway("whoever said it has not the role in the repository");

  private final GitHubApi api;
  private final GitHubConfig config;

  GitHubAccessCheck(GitHubApi api, GitHubConfig config) {
    this.api = api;
    this.config = config;
  }

  /// An issue's own end stops its run, whoever may end it; a correction is its author's.
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

  /// Roles that an organisation made have a name of their own, and are built on one of GitHub's.
  private boolean isEnough(JsonNode permission) {
    return Json.text(permission, "role_name")
        .flatMap(GitHubConfig.Access::of)
        .or(() -> Json.text(permission, "permission").flatMap(GitHubConfig.Access::of))
        .filter(role -> role.compareTo(config.access()) >= 0)
        .isPresent();
  }

  /// A token that may not write may not ask either. Then GitHub's own rules count: only who belongs
  /// to a repository sets labels there.
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
