package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import dev.runnel.testkit.LocalRepository;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Environments of real repositories, and runs in them.
public final class EnvironmentRuns {
  private EnvironmentRuns() {}

  public static Setup environments(Environment... all) {
    return Setup.USUAL.with(new Environments(List.of(all), Optional.empty(), Map.of()));
  }

  public static Environment web(LocalRepository... repositories) {
    return web("web", List.of(), repositories);
  }

  public static Environment web(
      String uid, List<String> commands, LocalRepository... repositories) {
    return Environment.named(uid)
        .withRepositories(Stream.of(repositories).map(EnvironmentRuns::repository).toList())
        .withSetupCommands(commands);
  }

  public static Environment web(String uid, Repository repository) {
    return Environment.named(uid).withRepositories(List.of(repository));
  }

  public static Repository repository(LocalRepository repository) {
    return Repository.of(repository.url(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  public static Repository at(LocalRepository repository, String ref) {
    return Repository.of(repository.url(), Optional.of(ref), Optional.empty(), Optional.empty());
  }

  public static String runIn(RunningService service, String environment) {
    var body = JSON.createObjectNode().put("prompt", "Do it");
    if (!environment.isEmpty()) {
      body.putObject("config").put("environment_id", environment);
    }
    return service.create(body);
  }

  public static String answer(RunningService service, String environment) {
    var id = runIn(service, environment);
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(() -> assertThat(service.state(id)).isIn("SUCCEEDED", "FAILED", "ERROR"));
    assertThat(service.state(id)).as(service.message(id)).isEqualTo("SUCCEEDED");
    return service.message(id);
  }

  public static String failure(RunningService service, String environment) {
    var run = service.awaitState(runIn(service, environment), "FAILED");
    assertThat(run.at("/status_message/error_code").asText()).isEqualTo("environment_setup_failed");
    return run.at("/status_message/message").asText();
  }
}
