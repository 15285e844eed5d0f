package dev.runnel.surface.gitlab;

import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import java.util.Optional;

/// Decides who may start and steer runs: people with the required role in the project. GitLab marks
/// bots as such, and they never may.
record GitLabAccessCheck(GitLabApi api, GitLabConfig.Access access) {
  boolean mayAsk(GitLabIssue issue, String username) {
    var found = PagedReader.read(_ -> api.users(username), Integer.MAX_VALUE, _ -> false);
    var id = found.stream().flatMap(each -> Json.id(each, "id").stream()).findFirst();
    return id.isPresent() && hasRole(issue, id.get()) && isActivePerson(id.get());
  }

  private boolean hasRole(GitLabIssue issue, long user) {
    return api.member(issue, user)
        .found()
        .filter(member -> access.isIn(member.path("access_level").asInt()))
        .isPresent();
  }

  private boolean isActivePerson(long user) {
    return api.user(user)
        .found()
        .filter(account -> !account.path("bot").asBoolean())
        .filter(account -> Json.text(account, "state").equals(Optional.of("active")))
        .isPresent();
  }
}
