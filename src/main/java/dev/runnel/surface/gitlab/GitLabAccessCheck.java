package dev.runnel.surface.gitlab;

import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.util.Optional;

/// Decides who may start and steer runs: people with the required role in the project. GitLab marks
/// bots as such, and they never may.
final class GitLabAccessCheck {
  private final GitLabApi api;
  private final GitLabConfig.Access access;

  GitLabAccessCheck(GitLabApi api, GitLabConfig.Access access) {
    this.api = api;
    this.access = access;
  }

  Admission admit(GitLabIssue issue, Delivery delivery) {
    try {
      return !delivery.addressed() || mayAsk(issue, delivery.actor().id())
          ? Admission.ADMITTED
          : new Admission.TurnedAway("whoever said it has not the role in the project");
    } catch (Pages.Waits waits) {
      return new Admission.Unknown(waits.after(), waits.why());
    }
  }

  boolean mayAsk(GitLabIssue issue, String username) throws Pages.Waits {
    var found = Pages.read(_ -> api.users(username), Integer.MAX_VALUE, _ -> false);
    var id = found.stream().flatMap(each -> Json.id(each, "id").stream()).findFirst();
    return id.isPresent() && hasRole(issue, id.get()) && !isBot(id.get());
  }

  private boolean hasRole(GitLabIssue issue, long user) throws Pages.Waits {
    return switch (api.member(issue, user)) {
      case ApiResult.Done(var member) -> access.isIn(member.path("access_level").asInt());
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _, ApiResult.Refused _ -> false;
    };
  }

  private boolean isBot(long user) throws Pages.Waits {
    return switch (api.user(user)) {
      case ApiResult.Done(var account) ->
          account.path("bot").asBoolean()
              || !Json.text(account, "state").equals(Optional.of("active"));
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone _, ApiResult.Refused _ -> true;
    };
  }
}
