package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.client.RunsClient;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.isolation.Machine;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.EmbeddedService;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateRun;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What reaches an agent of the variables that Runnel was started with.
@Tag("slow")
class AgentVariablesTest {
  private static final Set<String> ALLOWED =
      Set.of(
          "PATH",
          "HOME",
          "LANG",
          "LC_ALL",
          "TZ",
          "TERM",
          "TMPDIR",
          "RUNNEL_RUN_ID",
          "RUNNEL_SESSION_ID",
          "RUNNEL_EXECUTION",
          "RUNNEL_CLAIM",
          "RUNNEL_ARTIFACTS",
          "RUNNEL_CONFIG_JSON");

  /// The shell sets these by itself.
  private static final Set<String> OF_THE_SHELL = Set.of("PWD", "OLDPWD", "SHLVL", "_");

  /// How programs find the only way to the network.
  private static final Set<String> OF_THE_PROXY =
      Set.of(
          "HTTP_PROXY",
          "HTTPS_PROXY",
          "ALL_PROXY",
          "NO_PROXY",
          "http_proxy",
          "https_proxy",
          "all_proxy",
          "no_proxy",
          "NODE_USE_ENV_PROXY",
          "MAVEN_OPTS",
          "GRADLE_OPTS");

  private static final Pattern NAME = Pattern.compile("^([A-Za-z_][A-Za-z0-9_]*)=");

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"none", "bubblewrap", "container"})
  void agentsAndSetupCommandsSeeOnlyNamedVariablesAndNoSecrets(String kind) throws IOException {
    var output = environmentOf(kind, "web");

    assertThat(output).doesNotContain("hidden-");
    assertThat(names(output)).contains("PATH", "RUNNEL_RUN_ID", "FOR_WEB");
    var allowed = new HashSet<>(ALLOWED);
    allowed.addAll(OF_THE_SHELL);
    allowed.add("FOR_WEB");
    if (!kind.equals("none")) {
      allowed.addAll(OF_THE_PROXY);
    }
    assertThat(allowed).containsAll(names(output));
  }

  @ParameterizedTest
  @ValueSource(strings = {"none", "bubblewrap", "container"})
  void environmentVariablesAreInvisibleInOtherEnvironments(String kind) throws IOException {
    assertThat(environmentOf(kind, "docs")).doesNotContain("FOR_WEB").contains("FOR_DOCS=");
  }

  /// What setup command and agent find, as they print it.
  private String environmentOf(String kind, String environment) throws IOException {
    var variables = variables();
    var environments =
        new Environments(
            List.of(environment("web", "FOR_WEB"), environment("docs", "FOR_DOCS")),
            Optional.empty(),
            Map.of("FOR_WEB", "web-1", "FOR_DOCS", "docs-1"));
    try (var service =
            new EmbeddedService(
                folder, "env; cat setup", variables, environments, isolation(kind, variables));
        var client =
            RunsClient.builder()
                .baseUrl(service.uri().resolve("/api/v1"))
                .apiKey(EmbeddedService.KEY)
                .build()) {
      var created =
          client
              .runs()
              .create(
                  CreateRun.builder()
                      .prompt("x")
                      .config(AgentConfig.builder().environmentId(environment).build())
                      .build())
              .send();
      var run = client.runs().await(created.runId()).send();
      var transcript =
          new String(client.runs().transcript(created.runId()).send(), StandardCharsets.UTF_8);
      assertThat(run.state().value()).as(transcript).isEqualTo("SUCCEEDED");
      return transcript;
    }
  }

  private static Environment environment(String name, String variable) {
    return Environment.named(name)
        .withSetupCommands(List.of("env > setup"))
        .withImage(Optional.of("image:1"))
        .withVariables(List.of(variable));
  }

  /// Every secret setting, and what else may stand in an operator's environment.
  private Map<String, String> variables() {
    var variables = new HashMap<String, String>();
    for (var setting : KnownPlatforms.settings()) {
      if (setting.isSecret()) {
        variables.put(setting.variable(), "hidden-" + setting.variable());
      }
    }
    for (var name :
        List.of(
            "GITHUB_PRIVATE_KEY_FILE",
            "JAVA_TOOL_OPTIONS",
            "MALLOC_ARENA_MAX",
            "AWS_SECRET_ACCESS_KEY",
            "ANTHROPIC_API_KEY",
            "SSH_AUTH_SOCK",
            "DOCKER_HOST",
            // They begin with the name of a variable that agents get.
            "HOMEBREW_GITHUB_API_TOKEN",
            "PATH_TOKEN",
            "UNHEARD_OF")) {
      variables.put(name, "hidden-" + name);
    }
    variables.put("FOR_WEB", "web-1");
    variables.put("FOR_DOCS", "docs-1");
    variables.put("PATH", folder.resolve("bin") + ":" + System.getenv("PATH"));
    variables.put("HOME", folder.toString());
    variables.put("LC_ALL", "C.UTF-8");
    return variables;
  }

  private Isolation isolation(String kind, Map<String, String> variables) throws IOException {
    if (kind.equals("container")) {
      fakeRuntime();
    }
    var chosen =
        Isolations.choose(
            kind.equals("bubblewrap") ? "auto" : kind, new Machine(variables, List.of(folder)));
    if (!"true".equals(System.getenv("RUNNEL_TESTS_NEED_BUBBLEWRAP"))) {
      assumeThat(chosen.isOn() || kind.equals("none")).isTrue();
    }
    assertThat(chosen.isOn()).isEqualTo(!kind.equals("none"));
    return chosen;
  }

  /// Starts the command on this machine with the variables that its arguments name, as a container
  /// would get them.
  private void fakeRuntime() throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("docker");
    Files.writeString(
        program,
        """
        #!/bin/sh
        case $1 in run) ;; *) exit 0 ;; esac
        keep="PATH=$PATH"
        while [ "$1" != image:1 ]; do
          if [ "$1" = --env ]; then
            case $2 in
              *=*) keep="$keep $2" ;;
              *) if value=$(printenv "$2"); then keep="$keep $2=$value"; fi ;;
            esac
          fi
          case "$1" in *hidden-*) echo "argument $1" ;; esac
          shift
        done
        shift
        exec env -i $keep "$@"
        """);
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  private static Set<String> names(String output) {
    return output
        .lines()
        .map(NAME::matcher)
        .filter(each -> each.find())
        .map(each -> each.group(1))
        .collect(Collectors.toSet());
  }
}
