package dev.runnel.service.execution;

import static dev.runnel.service.EnvironmentRuns.answer;
import static dev.runnel.service.EnvironmentRuns.at;
import static dev.runnel.service.EnvironmentRuns.environments;
import static dev.runnel.service.EnvironmentRuns.failure;
import static dev.runnel.service.EnvironmentRuns.repository;
import static dev.runnel.service.EnvironmentRuns.runIn;
import static dev.runnel.service.EnvironmentRuns.web;
import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.Living;
import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EnvironmentRunTest {
  private static final String SECRET = "s3cret-value";

  @TempDir Path folder;
  private LocalRepository shop;
  private LocalRepository tools;

  @BeforeEach
  void repositories() {
    shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
    shop.commit("README.md", "The shop\n");
    tools = LocalRepository.make(folder.resolve("origin/acme/tools"));
    tools.commit("tool.txt", "a hammer\n");
  }

  @Nested
  class AnAgentFinds {
    @Test
    void agentStartsInItsRepository() {
      try (var service = service("cat README.md; git remote get-url origin", web(shop))) {
        assertThat(answer(service, "web")).isEqualTo("The shop\n" + shop.url());
      }
    }

    @Test
    void agentFindsSeveralRepositoriesSideBySide() {
      try (var service = service("cat shop/README.md tools/tool.txt", web(shop, tools))) {
        assertThat(answer(service, "web")).isEqualTo("The shop\na hammer");
      }
    }

    @Test
    void cloneContainsNewCommitsButNoDeletedBranches() {
      shop.git("branch", "old");
      try (var service = service("cat README.md; git branch --remotes", web(shop))) {
        assertThat(answer(service, "web")).contains("The shop").contains("origin/old");

        shop.commit("README.md", "The new shop\n");
        shop.git("branch", "--delete", "--force", "old");

        assertThat(answer(service, "web")).contains("The new shop").doesNotContain("origin/old");
      }
    }

    @Test
    void requestedBranchTagOrCommitIsCheckedOut() {
      var first = shop.git("rev-parse", "HEAD").strip();
      shop.commit("README.md", "Second\n");
      shop.git("tag", "v2");
      shop.git("checkout", "--quiet", "-b", "feature/x");
      shop.commit("README.md", "Feature\n");
      shop.git("checkout", "--quiet", "main");
      shop.commit("README.md", "Third\n");
      var setup =
          environments(
              web("first", at(shop, first)),
              web("tag", at(shop, "v2")),
              web("branch", at(shop, "feature/x")),
              web("latest", repository(shop)),
              web("wrong", at(shop, "nowhere")));
      try (var service = RunningService.with(folder, "cat README.md", 4, setup)) {
        assertThat(answer(service, "first")).isEqualTo("The shop");
        assertThat(answer(service, "tag")).isEqualTo("Second");
        assertThat(answer(service, "branch")).isEqualTo("Feature");
        assertThat(answer(service, "latest")).isEqualTo("Third");
        assertThat(failure(service, "wrong"))
            .startsWith("acme/shop has no branch, tag or commit nowhere");
      }
    }

    @Test
    void commitWithoutABranchIsCheckedOut() {
      var lost = shop.commit("README.md", "Lost\n");
      shop.git("reset", "--quiet", "--hard", "HEAD~1");
      shop.git("config", "uploadpack.allowAnySHA1InWant", "true");
      try (var service =
          RunningService.with(
              folder, "cat README.md", 4, environments(web("lost", at(shop, lost))))) {
        assertThat(answer(service, "lost")).isEqualTo("Lost");
      }
    }

    @Test
    void agentGetsTheVariablesOfItsEnvironment() {
      var environment = Environment.named("web").withVariables(List.of("NPM_TOKEN"));
      var setup =
          Setup.USUAL.with(
              new Environments(
                  List.of(environment), Optional.empty(), Map.of("NPM_TOKEN", SECRET)));
      try (var service =
          RunningService.with(folder, "echo ${#NPM_TOKEN}; echo token=$NPM_TOKEN", 4, setup)) {
        assertThat(answer(service, "web")).isEqualTo("12\ntoken=(redacted)");
        assertThat(answer(service, "")).isEqualTo("0\ntoken=");
      }
    }

    @Test
    void runWithoutAnEnvironmentUsesTheDefaultOne() {
      var environment = web("web", repository(shop));
      var setup =
          Setup.USUAL.with(
              new Environments(List.of(environment), Optional.of(environment), Map.of()));
      try (var service = RunningService.with(folder, "cat README.md", 4, setup)) {
        assertThat(answer(service, "")).isEqualTo("The shop");
      }
    }

    @Test
    void everyRunHasItsOwnClone() {
      try (var service =
          service(
              "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m mine; git branch"
                  + " mine; git log --oneline | wc -l; git branch | wc -l",
              web(shop))) {
        assertThat(answer(service, "web").replace(" ", "")).isEqualTo("2\n2");
        assertThat(answer(service, "web").replace(" ", "")).isEqualTo("2\n2");
      }
    }
  }

  @Nested
  class SettingUp {
    @Test
    void setupCommandsRunInOrderBeforeTheAgent() {
      var environment = web("web", List.of("echo one > setup", "echo two >> setup"), shop);
      try (var service = service("cat setup", environment)) {
        assertThat(answer(service, "web")).isEqualTo("one\ntwo");
      }
    }

    @Test
    void failedSetupCommandEndsTheRunWithItsOutputWithoutSecrets() {
      var environment =
          Environment.named("web")
              .withSetupCommands(
                  List.of(
                      "echo fine", "echo no $NPM_TOKEN >&2; echo give up; exit 3", "touch never"))
              .withVariables(List.of("NPM_TOKEN"));
      var setup =
          Setup.USUAL.with(
              new Environments(
                  List.of(environment), Optional.empty(), Map.of("NPM_TOKEN", SECRET)));
      try (var service = RunningService.with(folder, "echo never", 4, setup)) {
        var id = runIn(service, "web");
        var run = service.awaitState(id, "FAILED");

        assertThat(run.at("/status_message/error_code").asText())
            .isEqualTo("environment_setup_failed");
        assertThat(service.message(id))
            .startsWith("The setup command `echo no $NPM_TOKEN")
            .contains("no (redacted)")
            .contains("give up")
            .doesNotContain("fine");
        assertThat(run.toString() + service.service.transcript(id, 0)).doesNotContain(SECRET);
        assertThat(folder.resolve("workspaces/" + id + "/never")).doesNotExist();
      }
    }

    @Test
    void missingRepositoryIsReportedWithTheErrorOfGit() {
      var gone = new LocalRepository(folder.resolve("origin/acme/gone"));
      try (var service = service("echo never", web(gone))) {
        assertThat(failure(service, "web"))
            .startsWith("acme/gone could not be fetched")
            .contains("does not appear to be a git repository");
      }
    }

    @Test
    void refusalOfAnUnknownEnvironmentListsTheKnownOnes() {
      try (var service = service("echo never", web(shop))) {
        var answer =
            service.post(
                "/agent/runs", "{\"prompt\":\"x\",\"config\":{\"environment_id\":\"wbe\"}}");

        assertThat(RunningService.problem(answer)).isEqualTo("invalid_request");
        assertThat(RunningService.json(answer).get("detail").asText())
            .isEqualTo("There is no environment wbe here. There are: web.");
      }
    }

    @Test
    void cancelEndsTheSetupWithAllItsProcesses() throws IOException {
      var environment =
          web("web", List.of("sleep 300 & echo $! > ../child; echo $$ > ../pid; wait"), shop);
      try (var service = service("echo never", environment)) {
        var id = runIn(service, "web");
        var workspace = folder.resolve("workspaces/" + id);
        awaitFile(workspace.resolve("pid"));
        service.cancel(id);

        service.awaitState(id, "CANCELLED");
        assertThat(Living.is(pid(workspace.resolve("pid")))).isFalse();
        assertThat(Living.is(pid(workspace.resolve("child")))).isFalse();
      }
    }

    @Test
    void failedSetupEndsAllItsProcesses() throws IOException {
      var environment = web("web", List.of("sleep 300 & echo $! > ../child; exit 1"), shop);
      try (var service = service("echo never", environment)) {
        var id = runIn(service, "web");

        service.awaitState(id, "FAILED");
        assertThat(Living.is(pid(folder.resolve("workspaces/" + id + "/child")))).isFalse();
      }
    }

    @Test
    void runStatusShowsTheCurrentSetupCommand() {
      var environment = web("web", List.of("until [ -e ../go ]; do sleep 0.05; done"), shop);
      try (var service = service("echo done", environment)) {
        var id = runIn(service, "web");
        await()
            .untilAsserted(() -> assertThat(service.message(id)).startsWith("Setting up: until"));
        write(folder.resolve("workspaces/" + id + "/go"), "");
        service.awaitState(id, "SUCCEEDED");
      }
    }

    @Test
    void nextMessageRepeatsAFailedSetup() {
      var environment = web("web", List.of("test -e " + folder.resolve("fixed")), shop);
      try (var service = service("cat; cat README.md", environment)) {
        var id = runIn(service, "web");
        service.awaitState(id, "FAILED");
        write(folder.resolve("fixed"), "");
        service.followUp(id, "Try again");

        // The agent has not heard the first message yet.
        assertThat(service.awaitState(id, "SUCCEEDED").at("/status_message/message").asText())
            .endsWith("Try againThe shop");
        assertThat(service.transcript(id)).contains("\nDo it\n\nTry again");
      }
    }
  }

  @Nested
  class AFollowUp {
    @Test
    void followUpFindsTheFilesOfTheEarlierExecution() {
      try (var service =
          service("[ $RUNNEL_EXECUTION = 1 ] && echo mine > left; cat left", web(shop))) {
        var id = runIn(service, "web");
        service.awaitState(id, "SUCCEEDED");
        service.followUp(id, "go on");
        awaitExecution(service, id, 2);
        assertThat(service.message(id)).isEqualTo("mine");
      }
    }

    @Test
    void followUpWithALostWorkspaceGetsANewOneAndANote() {
      try (var service = service("cat; echo; ls", web(shop))) {
        var id = runIn(service, "web");
        service.awaitState(id, "SUCCEEDED");
        delete(folder.resolve("workspaces/" + id));
        service.followUp(id, "go on");
        awaitExecution(service, id, 2);

        assertThat(service.transcript(id)).endsWith("Do it\n\ngo on\nREADME.md\n");
        assertThat(service.service.transcript(id, 0).orElseThrow().lines())
            .anySatisfy(line -> assertThat(line.text()).isEqualTo(PromptAssembly.NEW_WORKSPACE));
      }
    }
  }

  private RunningService service(String command, Environment environment) {
    return RunningService.with(folder, command, 4, environments(environment));
  }

  private static void awaitExecution(RunningService service, String id, int execution) {
    await()
        .atMost(Duration.ofSeconds(60))
        .untilAsserted(
            () ->
                assertThat(service.service.transcript(id, 0).orElseThrow().lines())
                    .anySatisfy(line -> assertThat(line.execution()).isEqualTo(execution)));
    service.awaitState(id, "SUCCEEDED");
  }

  private static String pid(Path file) throws IOException {
    return Files.readString(file).strip();
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path tree) {
    try (var files = Files.walk(tree)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
