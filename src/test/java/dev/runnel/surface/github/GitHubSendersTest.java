package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.SettableClock;
import java.net.URI;
import java.util.List;
import java.util.Set;
import okhttp3.OkHttpClient;

class GitHubSendersTest implements SendersContract {
  @Override
  public String platform() {
    return "github";
  }

  @Override
  public String column(String says) {
    var words = says.split(" ", -1);
    var request =
        Deliveries.golden(
            "recorded-comment",
            body -> {
              var comment = (ObjectNode) body.path("comment");
              comment.put("body", "@agent fix it").put("author_association", words[2]);
              for (var account : List.of(comment.path("user"), body.path("sender"))) {
                ((ObjectNode) account).put("login", words[0]).put("type", words[1]);
              }
              if (words[0].equals("zoe")) {
                var repository = (ObjectNode) body.path("repository");
                repository.put("full_name", "zoe/shop");
                ((ObjectNode) repository.path("owner")).put("login", "zoe");
              }
            });
    // As GitHub gives the role: triage reads and maintain writes, beside the name of the role.
    var answer =
        """
        {"permission": "%s", "role_name": "%s"}
        """
            .formatted(words[3].replace("triage", "read").replace("maintain", "write"), words[3]);
    try (var github =
        SendersContract.serve((call, _) -> call.endsWith("/permission") ? answer : "null")) {
      return SendersContract.column(surface(github.getPort()), request);
    }
  }

  private static Surface surface(int port) {
    return GitHub.surface(
        new GitHubConfig(
            List.of(Deliveries.SECRET),
            new GitHubIdentity.Token("a-token"),
            URI.create("http://127.0.0.1:" + port),
            GitHubConfig.Access.WRITE,
            List.of(),
            Set.of("dana"),
            Settings.of("agent", "agent")),
        new OkHttpClient(),
        new SettableClock());
  }
}
