package dev.runnel.surface.gitlab;

import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.util.List;
import okhttp3.OkHttpClient;

class GitLabSendersTest implements SendersContract {
  @Override
  public String platform() {
    return "gitlab";
  }

  @Override
  public String column(String says) {
    try (var gitlab = SendersContract.serve((call, _) -> answer(call, says));
        var tracker = new GitLabTracker()) {
      var surface =
          GitLab.surface(
              new GitLabConfig(
                  List.of(GitLabRequests.SIGNING_TOKEN),
                  "a-token",
                  URI.create("http://127.0.0.1:" + gitlab.getPort()),
                  GitLabConfig.Access.DEVELOPER,
                  Settings.of("agent", "agent")),
              new OkHttpClient(),
              new SettableClock());
      return SendersContract.column(surface, tracker.commented(Person.MAINTAINER, "@agent fix it"));
    }
  }

  private static String answer(String call, String says) {
    if (call.startsWith("GET /api/v4/users?")) {
      return says.equals("no account") ? "[]" : "[{\"id\": 3}]";
    }
    if (call.startsWith("GET /api/v4/users/3")) {
      return "{\"state\": \"%s\", \"bot\": %s}"
          .formatted(says.contains("blocked") ? "blocked" : "active", says.contains("bot"));
    }
    return call.contains("/members/all/3") && says.startsWith("level=")
        ? "{\"access_level\": %s}".formatted(says.substring(6).split(" ", -1)[0])
        : "null";
  }
}
