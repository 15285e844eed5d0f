package dev.runnel.client.guide;

// guide: firstRun
import dev.runnel.client.RunsClient;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.CreateRun;
import java.net.URI;

public final class FirstRun {
  public static void main(String[] args) {
    var url = URI.create(System.getenv("RUNNEL_AGENT_API_URL"));
    var key = System.getenv("RUNNEL_AGENT_API_KEY");
    try (var client = RunsClient.builder().baseUrl(url).apiKey(key).build()) {
      var created = client.runs().create(CreateRun.of("Fix the flaky checkout test")).send();
      var run = client.runs().await(created.runId()).run();

      System.out.println(run.state());
      if (run.statusMessage() != null) {
        System.out.println(run.statusMessage().message());
      }
      for (var artifact : run.artifacts()) {
        if (artifact instanceof ArtifactItem.PullRequest pull) {
          System.out.println(pull.url());
        }
      }
    }
  }
}
// end
