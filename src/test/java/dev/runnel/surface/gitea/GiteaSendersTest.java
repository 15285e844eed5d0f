package dev.runnel.surface.gitea;

import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import okhttp3.OkHttpClient;

class GiteaSendersTest implements SendersContract {
  @Override
  public String platform() {
    return "gitea";
  }

  /// @param says who may write
  @Override
  public String column(String says) {
    var writers =
        Arrays.stream(says.split(", "))
            .map("{\"login\": \"%s\"}"::formatted)
            .collect(Collectors.joining(", ", "[", "]"));
    try (var gitea =
            SendersContract.serve((call, _) -> call.contains("/assignees") ? writers : "null");
        var tracker = new GiteaTracker(true)) {
      var surface =
          Gitea.surface(
              new GiteaConfig(
                  List.of(GiteaRequests.SECRET),
                  "a-token",
                  URI.create("http://127.0.0.1:" + gitea.getPort()),
                  Settings.of("agent", "agent")),
              new OkHttpClient(),
              new SettableClock());
      var sender = says.equals("actions") ? Person.BOT : Person.MAINTAINER;
      return SendersContract.column(surface, tracker.commented(sender, "@agent fix it"));
    }
  }
}
