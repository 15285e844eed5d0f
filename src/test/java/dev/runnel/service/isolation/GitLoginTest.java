package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import dev.runnel.testkit.GitServer;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent pushes with a token that it does not have. It is a shell that reads its commands from
/// the prompt.
@Tag("slow")
class GitLoginTest {
  private static final String TOKEN = "s3cret-token-of-the-shop";

  /// Matches `LC_*`, which all programs of a run receive.
  private static final String TOKEN_NAME = "LC_GIT_TOKEN";

  private static final String COMMITS =
      "git -c user.name=x -c user.email=x@x.test commit --quiet --allow-empty -m \"By the"
          + " agent\"\n";

  @Nested
  class InABubblewrap implements Contract {
    @BeforeEach
    void works() {
      Bubblewrapped.require();
    }

    @Override
    public Isolation isolation(Machine machine, Path bin) {
      return Isolations.choose("bubblewrap", machine, true);
    }

    @Test
    void anAgentFetchesAndPushesWithoutTheToken(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var said =
            stage.obey(
                """
                git fetch --quiet && echo fetched
                git -c user.name=x -c user.email=x@x.test commit --quiet --allow-empty -m "By the agent"
                git push --quiet origin HEAD:refs/heads/agent 2>&1 && echo pushed
                """);

        assertThat(said).contains("fetched\npushed\n");
        assertThat(stage.shop().git("log", "-1", "--format=%s", "agent"))
            .isEqualTo("By the agent\n");
      }
    }

    @Test
    void pullRequestFromAPushedBranchBelongsToTheRun(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var id = stage.run(COMMITS + "git push --quiet origin HEAD:refs/heads/agent\n");
        // As a forge does when somebody opens a pull request for the branch.
        stage.shop().git("update-ref", "refs/pull/7/head", "agent");
        stage.follow(id, "echo " + stage.pullRequest(7));

        assertThat(stage.branchOf(id)).isEqualTo("agent");
      }
    }

    @Test
    void largePushIsObservedToo(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var id =
            stage.run(
                "head -c 3000000 /dev/urandom > big && git add big\n"
                    + COMMITS
                    + "git push --quiet origin HEAD:refs/heads/agent\n");
        stage.shop().git("update-ref", "refs/pull/7/head", "agent");
        stage.follow(id, "echo " + stage.pullRequest(7));

        assertThat(stage.branchOf(id)).isEqualTo("agent");
      }
    }

    @Test
    void foreignPullRequestIsNotTheRunsDespiteForgedGitLogs(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        stage.theirs();
        stage.shop().git("update-ref", "refs/heads/theirs", "refs/pull/8/head");
        var id =
            stage.run(
                """
                git fetch --quiet origin refs/pull/8/head
                printf '%%040d %%s A <a@a.test> 1 +0000\\tcommit: Mine\\n' 0 $(git rev-parse FETCH_HEAD) >> .git/logs/HEAD
                cat .git/logs/HEAD; echo %s
                """
                    .formatted(stage.pullRequest(8)));

        assertThat(stage.service().transcript(id)).contains("\tcommit: Mine\n");
        assertThat(stage.branchOf(id)).isEmpty();
      }
    }

    @Test
    void foreignPullRequestIsNotTheRunsAfterPushingItsCommitAgain(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        stage.theirs();
        var id =
            stage.run(
                """
                git fetch --quiet origin refs/pull/8/head
                git push --quiet origin FETCH_HEAD:refs/heads/mine && echo pushed
                echo %s
                """
                    .formatted(stage.pullRequest(8)));

        assertThat(stage.service().transcript(id)).contains("pushed\n");
        assertThat(stage.branchOf(id)).isEmpty();
      }
    }

    @Test
    void foreignPullRequestIsNotTheRunsAfterPushingAnotherBranch(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        stage.theirs();
        var id =
            stage.run(
                """
                git -c user.name=A -c user.email=a@a.test commit --quiet --allow-empty -m Mine
                git push --quiet origin HEAD:refs/heads/mine && echo pushed
                echo %s
                """
                    .formatted(stage.pullRequest(8)));

        assertThat(stage.service().transcript(id)).contains("pushed\n");
        assertThat(stage.branchOf(id)).isEmpty();
      }
    }

    /// In the second execution, too, to which the clone comes as the agent left it.
    @Test
    void programsInTheGitSettingsOfACloneAreNotRunOutside(@TempDir Path folder) throws IOException {
      var marker = folder.resolve("executed");
      try (var stage = Stage.open(folder, this, false)) {
        stage.theirs();
        stage.shop().git("update-ref", "refs/heads/theirs", "refs/pull/8/head");
        var id =
            stage.run(
                """
                for key in core.fsmonitor core.pager core.editor core.sshCommand core.askPass \
                    core.alternateRefsCommand core.gitProxy credential.helper diff.external \
                    uploadpack.packObjectsHook filter.x.smudge filter.x.clean alias.ls-remote; do
                  git config $key '!touch %1$s; touch %1$s'
                done
                git config protocol.ext.allow always
                git config 'url.ext::touch %1$s .insteadOf' http
                git config core.hooksPath "$PWD/.git/hooks"
                mkdir -p .git/hooks; echo '* filter=x' > .gitattributes
                for hook in post-checkout pre-auto-gc reference-transaction post-index-change; do
                  printf '#!/bin/sh\ntouch %1$s\n' > .git/hooks/$hook; chmod +x .git/hooks/$hook
                done
                printf '[submodule "x"]\npath = x\nurl = ext::touch %1$s\nupdate = !touch %1$s\n' > .gitmodules
                printf '%%040d %2$s A <a@a.test> 4000000000 +0000\tcommit: Mine\n' 0 >> .git/logs/HEAD
                cp -r .git ..; echo %3$s
                """
                    .formatted(
                        marker,
                        stage.shop().git("rev-parse", "refs/pull/8/head").strip(),
                        stage.pullRequest(8)));
        stage.follow(id, "echo " + stage.pullRequest(8));

        assertThat(marker).doesNotExist();
        // Runnel asked the server about it: what it shows is what the log files say.
        assertThat(stage.branchOf(id)).isEqualTo("theirs");
      }
    }

    @Test
    void agentWithoutPushPermissionHasNoGitLogin(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, false)) {
        assertThat(stage.obey("GIT_TERMINAL_PROMPT=0 git fetch --quiet 2>&1 || echo refused"))
            .contains("could not read Username")
            .contains("refused\n");
      }
    }

    @Test
    void tokenIsNotAccessibleInTheSandbox(@TempDir Path folder) throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var said =
            stage.obey(
                """
                git fetch --quiet
                printf 'protocol=http\\nhost=%s\\n\\n' | GIT_TERMINAL_PROMPT=0 git credential fill 2>&1
                env; git config --list; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'
                s3=s3cret; grep -rs "$s3-token" "$HOME" /tmp . && echo found it; echo done
                """
                    .formatted(stage.server().authority()));

        // The transcript would show it as redacted.
        assertThat(said).doesNotContain("(redacted)", TOKEN, "found it").contains("done\n");
      }
    }
  }

  @Nested
  class InAContainer implements Contract {
    @Override
    public Isolation isolation(Machine machine, Path bin) throws IOException {
      return new Container(ContainerRuntime.install(bin), machine);
    }
  }

  interface Contract {
    String GET =
        """
        get() { bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128
          printf "GET http://git.runnel/$0 HTTP/1.1\\r\\n\\r\\n" >&3; head -1 <&3' "$1"; }
        """;

    Isolation isolation(Machine machine, Path bin) throws IOException;

    @Test
    default void onlyGitRequestsToTheRepositoryGetTheLogin(@TempDir Path folder)
        throws IOException {
      try (var stage = Stage.open(folder, this, true)) {
        var said =
            stage.obey(
                GET
                    + """
                    get %1$s/acme/shop.git/info/refs?service=git-receive-pack
                    get %1$s/acme/other.git/info/refs?service=git-receive-pack
                    get %1$s/acme/shop.git/HEAD
                    """
                        .formatted(stage.server().authority()));

        assertThat(said.lines().map(String::strip).toList())
            .containsSequence(
                "HTTP/1.1 200 OK", "HTTP/1.1 403 Forbidden", "HTTP/1.1 403 Forbidden");
      }
    }
  }

  record Stage(GitServer server, LocalRepository shop, RunningService service)
      implements AutoCloseable {
    static Stage open(Path folder, Contract contract, boolean push) throws IOException {
      var source = LocalRepository.make(folder.resolve("source"));
      source.commit("README.md", "The shop\n");
      for (var name : List.of("shop", "other")) {
        var bare = folder.resolve("server/acme/" + name + ".git");
        source.git("clone", "--quiet", "--bare", ".", bare.toString());
      }
      var server = GitServer.start(folder.resolve("server"), TOKEN);
      var bin = Files.createDirectories(folder.resolve("bin"));
      var variables = new HashMap<String, String>();
      variables.put("PATH", bin + ":" + System.getenv("PATH"));
      variables.put("HOME", Files.createDirectories(folder.resolve("operator")).toString());
      variables.put(TOKEN_NAME, TOKEN);
      var data = Files.createDirectories(folder.resolve("data"));
      var machine =
          new Machine(
              variables, List.of(data), List.of(), List.of(), Quotas.DEFAULT, AgentUsers.any());
      var environment =
          Environment.named("web")
              .withRepositories(
                  List.of(
                      Repository.of(
                          server.url("acme/shop.git"),
                          Optional.empty(),
                          Optional.empty(),
                          Optional.of(TOKEN_NAME),
                          push)))
              .withImage(Optional.of(ContainerRuntime.IMAGE));
      var setup =
          Setup.USUAL
              .with(contract.isolation(machine, bin))
              .with(
                  new Environments(
                      List.of(environment), Optional.of(environment), Map.of(TOKEN_NAME, TOKEN)));
      return new Stage(
          server,
          new LocalRepository(folder.resolve("server/acme/shop.git")),
          RunningService.inOnlyThisEnvironment(data, Optional.of("sh"), variables, setup));
    }

    String obey(String commands) {
      return service.transcript(run(commands));
    }

    /// @return the id of the run that ended
    String run(String commands) {
      var id = service.create(commands);
      awaitEnd(id);
      return id;
    }

    void follow(String id, String commands) {
      service.followUp(id, commands);
      awaitEnd(id);
    }

    private void awaitEnd(String id) {
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> List.of("SUCCEEDED", "FAILED").contains(service.state(id)));
    }

    /// A pull request of somebody else, from a fork.
    void theirs() {
      var commit =
          shop.git(
              "-c",
              "user.name=y",
              "-c",
              "user.email=y@y.test",
              "commit-tree",
              "-m",
              "x",
              "main^{tree}");
      shop.git("update-ref", "refs/pull/8/head", commit.strip());
    }

    String pullRequest(int number) {
      return server.url("acme/shop/pull/" + number);
    }

    /// The branch of the only pull request that the run shows; empty if it did not open it.
    String branchOf(String id) {
      var found = service.run(id).path("artifacts");
      assertThat(found).as(found.toString()).hasSize(1);
      return found.at("/0/data/branch").asText();
    }

    @Override
    public void close() {
      service.close();
      server.close();
    }
  }
}
