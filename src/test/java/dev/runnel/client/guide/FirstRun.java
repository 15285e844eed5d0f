package dev.runnel.client.guide;

// guide: firstRun
import dev.runnel.client.RunsClient;
import dev.runnel.wire.CreateRun;
import java.net.URI;

public final class FirstRun {
  public static void main(String[] args) {
    var url = URI.create(System.getenv("RUNNEL_AGENT_API_URL"));
    var key = System.getenv("RUNNEL_AGENT_API_KEY");
    try (var client = RunsClient.builder().baseUrl(url).apiKey(key).build()) {
      var created = client.runs().create(CreateRun.of("Fix the flaky checkout test")).send();
      var run = client.runs().await(created.runId()).send();

      System.out.println(run.state());
      System.out.println(run.message());
      run.pullRequests().forEach(pull -> System.out.println(pull.url()));
    }
  }
}
// end
