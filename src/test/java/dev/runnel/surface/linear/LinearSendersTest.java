package dev.runnel.surface.linear;

import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import okhttp3.OkHttpClient;

class LinearSendersTest implements SendersContract {
  @Override
  public String platform() {
    return "linear";
  }

  @Override
  public String column(String says) {
    var user =
        says.equals("nobody")
            ? "null"
            : "{\"id\": \"%s\", \"active\": %s, \"admin\": %s, \"guest\": %s, \"app\": %s}"
                .formatted(
                    FakeLinear.DANA,
                    says.startsWith("active"),
                    says.endsWith("admin"),
                    says.endsWith("guest"),
                    says.endsWith("app"));
    try (var linear =
            SendersContract.serve((_, _) -> "{\"data\": {\"user\": %s}}".formatted(user));
        var tracker = new LinearTracker(false)) {
      var surface =
          Linear.surface(
              new LinearConfig(
                  List.of(LinearRequests.SECRET),
                  "lin_api_1",
                  URI.create("http://127.0.0.1:" + linear.getPort() + "/graphql"),
                  LinearConfig.Access.MEMBER,
                  Map.of(),
                  Settings.of("agent", "agent")),
              new OkHttpClient(),
              InstantSource.fixed(Samples.NINE));
      return SendersContract.column(surface, tracker.commented(Person.MAINTAINER, "@agent fix it"));
    }
  }
}
