package dev.runnel.app.command;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.app.command.CommandLine.RunFlag;
import dev.runnel.app.settings.RunnelSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CommandLineTest {
  private static final CommandLine.Options NO_OPTIONS =
      new CommandLine.Options(Optional.empty(), Map.of());

  @Test
  void emptyCommandLineMeansServe() {
    assertThat(parse()).isEqualTo(new CommandLine.Serve(NO_OPTIONS, false));
  }

  @Test
  void serveTakesItsOptionsInAnyOrder() {
    assertThat(parse("--port", "0", "serve", "--data", "d", "--config", "c.yaml"))
        .isEqualTo(
            new CommandLine.Serve(
                new CommandLine.Options(
                    Optional.of(Path.of("c.yaml")),
                    Map.of(RunnelSettings.PORT, "0", RunnelSettings.DATA, "d")),
                false));
  }

  @Test
  void runCommandParsesItsVerbAndArguments() {
    assertThat(parse("run", "follow", "id", "go", "on", "--json"))
        .isEqualTo(
            new CommandLine.RunCommand(
                NO_OPTIONS, "follow", List.of("id", "go", "on"), Set.of(RunFlag.JSON), Map.of()));
    assertThat(parse("run", "start", "--", "--strange prompt"))
        .isEqualTo(
            new CommandLine.RunCommand(
                NO_OPTIONS, "start", List.of("--strange prompt"), Set.of(), Map.of()));
  }

  @Test
  void connectTakesAnswersOfWhichSomeAreYesOrNo() {
    assertThat(parse("connect", "github", "--clone", "yes", "--push", "no"))
        .isEqualTo(
            new CommandLine.Connect(NO_OPTIONS, "github", Map.of("clone", "yes", "push", "no")));
    assertThat(parse("connect", "github", "--push", "perhaps"))
        .isEqualTo(new CommandLine.Wrong("--push is yes or no."));
  }

  @Test
  void auditTakesAVerbAndExportAnInterval() {
    assertThat(parse("audit", "verify"))
        .isEqualTo(new CommandLine.Audit(NO_OPTIONS, "verify", Map.of()));
    assertThat(parse("audit", "export", "--since", "7d"))
        .isEqualTo(new CommandLine.Audit(NO_OPTIONS, "export", Map.of("since", "7d")));
    assertThat(parse("audit")).isEqualTo(wrong("audit needs one of: export, verify."));
    assertThat(parse("audit", "verify", "--since", "7d"))
        .isEqualTo(wrong("--since is for audit export."));
    assertThat(parse("run", "list", "--since", "7d"))
        .isEqualTo(wrong("--since is for audit export."));
  }

  @Test
  void runStartParsesTheOptionsOfTheRun() {
    assertThat(parse("run", "start", "fix", "it", "--model", "fast", "--env", "web", "--wait"))
        .isEqualTo(
            new CommandLine.RunCommand(
                NO_OPTIONS,
                "start",
                List.of("fix", "it"),
                Set.of(RunFlag.WAIT),
                Map.of("model", "fast", "env", "web")));
    assertThat(parse("run", "start", "fix", "--titel", "x"))
        .isEqualTo(wrong("There is no option --titel. Did you mean --title?"));
  }

  @Test
  void anOptionOfOtherCommandsIsRefusedWithTheCommandsThatTakeIt() {
    assertThat(parse("run", "show", "id", "--model", "fast"))
        .isEqualTo(wrong("--model is for run start and policy test."));
    assertThat(parse("run", "show", "id", "--state", "failed"))
        .isEqualTo(wrong("--state is for run list."));
    assertThat(parse("run", "list", "--name", "x", "--wait"))
        .isEqualTo(wrong("--wait is for run start."));
    assertThat(parse("run", "show", "id", "--all"))
        .isEqualTo(wrong("--all is for run list and run cancel."));
    assertThat(parse("run", "follow", "id", "go", "--logs"))
        .isEqualTo(wrong("--logs is for run start and run watch."));
    assertThat(parse("run", "start", "x", "--logs"))
        .isEqualTo(wrong("--logs of run start needs --wait."));
    assertThat(parse("serve", "--escape")).isEqualTo(wrong("--escape is for check."));
    assertThat(parse("--own")).isEqualTo(wrong("--own is for policy test."));
    assertThat(parse("run", "start", "x", "--groups", "y"))
        .isEqualTo(wrong("--groups is for policy test."));
    assertThat(parse("check", "--channel", "x")).isEqualTo(wrong("--channel is for connect."));
    assertThat(parse("srve", "--wait"))
        .isEqualTo(wrong("There is no command srve. Did you mean serve?"));
  }

  @Test
  void policyTestTakesARequestInOneWordOrSeveral() {
    var test =
        new CommandLine.PolicyTest(
            NO_OPTIONS, "slack:T1/U1", "start", "slack:T1/C1", Map.of("env", "web"), true);

    assertThat(
            parse("policy", "test", "slack:T1/U1", "start", "slack:T1/C1", "--env", "web", "--own"))
        .isEqualTo(test);
    assertThat(parse("policy", "test", "slack:T1/U1 start slack:T1/C1 --env web --own"))
        .isEqualTo(test);
    assertThat(parse("policy", "test")).isInstanceOf(CommandLine.Wrong.class);
  }

  @Test
  void invalidArgumentIsNamed() {
    assertThat(parse("srve")).isEqualTo(wrong("There is no command srve. Did you mean serve?"));
    assertThat(parse("--prot", "1"))
        .isEqualTo(wrong("There is no option --prot. Did you mean --port?"));
    assertThat(parse("--port")).isEqualTo(wrong("--port needs a value."));
    assertThat(parse("run", "show")).isEqualTo(wrong("run show needs an ID."));
    assertThat(parse("run", "start")).isEqualTo(wrong("run start needs a PROMPT."));
    assertThat(parse("run", "follow")).isEqualTo(wrong("run follow needs an ID and a TEXT."));
    assertThat(parse("run", "follow", "id")).isEqualTo(wrong("run follow needs an ID and a TEXT."));
    assertThat(parse("run", "cancel")).isEqualTo(wrong("run cancel needs an ID, or --all."));
    assertThat(parse("run", "cancel", "x", "--all"))
        .isEqualTo(wrong("run cancel takes an id or --all."));
    assertThat(parse("run", "x"))
        .isEqualTo(wrong("run needs one of: start, list, show, follow, cancel, watch."));
    assertThat(parse("run", "watch", "id", "--wait")).isEqualTo(wrong("--wait is for run start."));
    assertThat(parse("serve", "now")).isEqualTo(wrong("serve does not take the argument `now`."));
  }

  private static CommandLine wrong(String why) {
    return new CommandLine.Wrong(why);
  }

  private static CommandLine parse(String... words) {
    return CommandLine.parse(List.of(words));
  }
}
