package dev.runnel.surface.jira;

import dev.runnel.surface.jira.JiraConfig.CommentVisibility;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import okhttp3.OkHttpClient;

class JiraSendersTest implements SendersContract {
  private static final String DANA = "5b10a2844c20165700ede21g";

  @Override
  public String platform() {
    return "jira";
  }

  /// @param says the kind and the state of the account that may edit the issue
  @Override
  public String column(String says) {
    var editor =
        """
        [{"accountId": "%s", "accountType": "%s", "active": %s}]
        """
            .formatted(
                says.equals("another") ? "another" : DANA,
                says.split(" ", -1)[0],
                says.endsWith(" active"));
    try (var jira =
            SendersContract.serve(
                (call, _) ->
                    call.contains("/user/permission/search")
                        ? says.equals("nobody") ? "[]" : editor
                        : "null");
        var tracker = new JiraTracker(true)) {
      var surface =
          Jira.surface(
              new JiraConfig(
                  List.of(JiraRequests.SECRET),
                  URI.create("http://127.0.0.1:" + jira.getPort()),
                  Optional.of("runnel@acme.example"),
                  "a-token",
                  Set.of(),
                  Map.of(),
                  CommentVisibility.INTERNAL,
                  Settings.of("agent", "agent")),
              new OkHttpClient(),
              new SettableClock());
      return SendersContract.column(surface, tracker.commented(Person.MAINTAINER, "@agent fix it"));
    }
  }
}
