package dev.runnel.surface.azure;

import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.util.List;
import java.util.Set;
import okhttp3.OkHttpClient;

class AzureSendersTest implements SendersContract {
  @Override
  public String platform() {
    return "azure";
  }

  /// @param says the member of the project's team, who wrote the comment, and what the member is
  @Override
  public String column(String says) {
    var words = says.split(" ", -1);
    var member =
        """
        {"value": [{"identity": {"uniqueName": "%s", "isContainer": %s}}]}
        """
            .formatted(words[0], words.length > 2);
    var comment =
        """
        {"id": %d, "text": "@agent fix it", "createdBy": {"uniqueName": "%s"}}
        """
            .formatted(AzureTracker.COMMENT, words[1]);
    try (var azure =
            SendersContract.serve(
                (call, _) ->
                    call.contains("/members")
                        ? member
                        : call.contains("/teams")
                            ? "{\"value\": [{\"id\": \"t-1\"}]}"
                            : call.contains("/comments/") ? comment : "null");
        var tracker = new AzureTracker()) {
      var surface =
          AzureDevOps.surface(
              new AzureConfig(
                  List.of(AzureRequests.SECRET),
                  "a-token",
                  URI.create("http://127.0.0.1:" + azure.getPort()),
                  Set.of(),
                  Set.of(),
                  Settings.of("agent", "agent")),
              new OkHttpClient(),
              new SettableClock());
      return SendersContract.column(surface, tracker.commented(Person.MAINTAINER, "@agent fix it"));
    }
  }
}
