package dev.runnel.service;

import static dev.runnel.service.EnvironmentRuns.environments;
import static dev.runnel.service.EnvironmentRuns.web;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.workspace.Repository;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Which pull requests a run opened, with a real git whose server keeps their heads as forges do:
/// the branch is the sign of it.
@Tag("slow")
class PullRequestRunTest {
  private static final String FORGE = "https://git.example/";
  private static final String OPENS =
      """
      git switch --quiet --create fix
      echo fixed > cart.txt && git add . && git commit --quiet --message 'Fix the cart'
      git push --quiet origin fix fix:refs/pull/7/head
      """;

  @TempDir Path folder;
  private LocalRepository shop;

  @BeforeEach
  void forge() throws IOException {
    shop = LocalRepository.make(folder.resolve("forge/acme/shop.git"));
    shop.commit("README.md", "The shop\n");
    Files.createDirectories(folder.resolve("home"));
    Files.writeString(
        folder.resolve("home/.gitconfig"),
        """
        [user]
        name = Agent
        email = agent@example.com
        [url "file://%s/"]
        insteadOf = %s
        """
            .formatted(folder.resolve("forge"), FORGE));
  }

  private String branchOf(String agent, String pullRequest) throws IOException {
    return branchOf(agent, pullRequest, FORGE + "acme/shop.git");
  }

  private String branchOf(String agent, String pullRequest, String repository) throws IOException {
    var script = Files.writeString(folder.resolve("agent.sh"), agent + "\necho " + pullRequest);
    var environment =
        web("web", Repository.of(repository, Optional.empty(), Optional.empty(), Optional.empty()));
    try (var service =
        RunningService.inEnvironment(
            folder.resolve("service"),
            Optional.of("sh " + script),
            Map.of("HOME", folder.resolve("home").toString()),
            environments(environment))) {
      var run = EnvironmentRuns.runIn(service, "web");
      await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(service.state(run)).isIn("SUCCEEDED", "FAILED"));
      var done = service.run(run);
      if (agent.equals(OPENS)) {
        assertThat(done.at("/evidence/files_changed").asInt()).isEqualTo(1);
        assertThat(done.at("/evidence/commits").asInt()).isEqualTo(1);
        assertThat(done.path("evidence").has("tests")).isFalse();
      }
      var found = done.path("artifacts");
      assertThat(found).as(done.toString()).hasSize(1);
      assertThat(found.at("/0/data/url").asText()).isEqualTo(pullRequest);
      return branch(found.get(0));
    }
  }

  private static String branch(JsonNode artifact) {
    return artifact.at("/data/branch").asText();
  }

  @Test
  void pullRequestFromABranchPushedByTheRunBelongsToIt() throws IOException {
    assertThat(branchOf(OPENS, FORGE + "acme/shop/pull/7")).isEqualTo("fix");
  }

  @Test
  void repositoryAddressMayBeSpelledDifferently() throws IOException {
    assertThat(branchOf(OPENS, FORGE + "Acme/Shop/pull/7", FORGE + "acme/shop.git/"))
        .isEqualTo("fix");
  }

  @Test
  void mentionedForeignPullRequestDoesNotBelongToTheRun() throws IOException {
    shop.git("branch", "theirs");
    shop.git("update-ref", "refs/pull/8/head", "theirs");

    assertThat(branchOf(OPENS, FORGE + "acme/shop/pull/8")).isEmpty();
  }

  @Test
  void checkedOutForeignPullRequestDoesNotBelongToTheRun() throws IOException {
    shop.git("switch", "--quiet", "--create", "theirs");
    shop.commit("theirs.txt", "theirs\n");
    shop.git("update-ref", "refs/pull/8/head", "theirs");
    shop.git("switch", "--quiet", "main");

    var looks = "git fetch --quiet origin pull/8/head && git checkout --quiet FETCH_HEAD\n";
    assertThat(branchOf(OPENS + looks, FORGE + "acme/shop/pull/8")).isEmpty();
  }

  @Test
  void pullRequestFromAForkDoesNotBelongToTheRun() throws IOException {
    var fromAFork = OPENS.replace("origin fix fix:refs/pull/7/head", "origin fix:refs/pull/7/head");
    assertThat(branchOf(fromAFork, FORGE + "acme/shop/pull/7")).isEmpty();
  }

  @Test
  void pullRequestInAnotherRepositoryDoesNotBelongToTheRun() throws IOException {
    assertThat(branchOf(OPENS, FORGE + "evil/shop/pull/7")).isEmpty();
    assertThat(branchOf("true", "https://evil.example/acme/shop/pull/7")).isEmpty();
  }

  @Test
  void mergeRequestFromAPushedBranchBelongsToTheRun() throws IOException {
    var merge = OPENS.replace("refs/pull/7/head", "refs/merge-requests/7/head");
    assertThat(branchOf(merge, FORGE + "acme/shop/-/merge_requests/7")).isEqualTo("fix");
  }
}
