package dev.runnel.service.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.process.Spawner;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Environment;
import dev.runnel.testkit.AgentUsers;
import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class EscapeCheckTest {
  private static final Spawner SPAWNER = Spawner.system();
  private static final List<String> WAYS =
      List.of(
          "Runnel's data and settings",
          "another run's home and workspace",
          "the operator's home",
          "passwords and private keys of the system",
          "Runnel's processes in /proc",
          "shared memory of others",
          "sockets that are as good as root",
          "unmounting what separates it",
          "more power than an ordinary process",
          "writing outside its own folders",
          "settings of the kernel",
          "files that only root may read",
          "the variables of process 1",
          "processes of another agent",
          "services of this machine (loopback)",
          "the internal network",
          "the cloud's metadata service",
          "the network without the proxy (also DNS)",
          "services of this machine, by the proxy",
          "internal networks, by the proxy",
          "the cloud's metadata service, by the proxy",
          "other ports, by the proxy",
          "a name that changes its address");

  @TempDir Path folder;

  @Test
  void escapeCheckFindsOpenPathsWithoutIsolation() throws Exception {
    var machine = machine();
    var found = found(new Isolation.None(), machine, Environment.NONE);

    assertThat(found)
        .containsEntry("Runnel's data and settings", EscapeCheck.Result.OPEN)
        .containsEntry("another run's home and workspace", EscapeCheck.Result.OPEN)
        .containsEntry("the operator's home", EscapeCheck.Result.OPEN)
        .containsEntry("Runnel's processes in /proc", EscapeCheck.Result.OPEN)
        .containsEntry("unmounting what separates it", EscapeCheck.Result.OPEN)
        .containsEntry("writing outside its own folders", EscapeCheck.Result.OPEN)
        .containsEntry("services of this machine (loopback)", EscapeCheck.Result.OPEN)
        .containsEntry("the agent's output, for what it starts", EscapeCheck.Result.CLOSED)
        .doesNotContainKey("services of this machine, by the proxy");
    assertThat(folder.resolve("operator/.runnel-escape-check")).doesNotExist();
    assertThat(Path.of("/proc/self/status")).exists();
  }

  @Test
  void bubblewrapClosesAllEscapePaths() throws Exception {
    Bubblewrapped.require();
    var machine = machine();
    var found = found(Isolations.choose("bubblewrap", machine), machine, Environment.NONE);

    assertThat(found).containsAllEntriesOf(closed());
    assertThat(found)
        .containsEntry("the agent's output, for what it starts", EscapeCheck.Result.CLOSED)
        // Closed if this process may lower the score of others.
        .hasEntrySatisfying(
            "being ended after Runnel when memory runs out",
            it -> assertThat(it).isNotEqualTo(EscapeCheck.Result.OPEN));
    assertThat(folder.resolve("data")).isEmptyDirectory();
  }

  @Test
  void agentsThatWorkAsRootAreReportedWithTheRemedy() throws Exception {
    Bubblewrapped.require();
    assumeThat(AgentUsers.isRoot()).isTrue();
    var machine = machine().with(new AgentUser(0, 0));
    var check =
        new EscapeCheck(
            Isolations.choose("bubblewrap", machine),
            machine,
            Environment.NONE,
            EgressSetting.PUBLIC,
            EscapeCheckTest::start);

    assertThat(check.run(folder.resolve("data")))
        .filteredOn(it -> it.result() == EscapeCheck.Result.OPEN)
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.what()).isEqualTo("files that only root may read");
              assertThat(it.detail()).endsWith("Do not let agents work as root: agents.user");
            });
  }

  @Test
  void agentsWithoutIsolationReachEachOtherAndNothingOfRoot() throws Exception {
    assumeThat(AgentUsers.isRoot()).isTrue();
    var machine = machine();
    machine.user().admit(folder);
    Files.setPosixFilePermissions(
        folder.resolve("runnel.yaml"), PosixFilePermissions.fromString("rw-------"));
    Files.createDirectories(folder.resolve("data"));
    machine.user().admit(folder.resolve("data"));

    assertThat(found(Isolations.choose("none", machine), machine, Environment.NONE))
        .containsEntry("processes of another agent", EscapeCheck.Result.OPEN)
        .containsEntry("another run's home and workspace", EscapeCheck.Result.OPEN)
        .containsEntry("Runnel's data and settings", EscapeCheck.Result.CLOSED)
        .containsEntry("settings of the kernel", EscapeCheck.Result.CLOSED)
        .containsEntry("files that only root may read", EscapeCheck.Result.CLOSED)
        .containsEntry("more power than an ordinary process", EscapeCheck.Result.CLOSED)
        .containsEntry("writing outside its own folders", EscapeCheck.Result.CLOSED);
  }

  @Test
  void containersCloseAllEscapePaths() throws Exception {
    var podman = ContainerRuntime.install(Files.createDirectories(folder.resolve("bin")));
    var machine = machine();
    var environment = Environment.named("web").withImage(Optional.of(ContainerRuntime.IMAGE));

    assertThat(found(new Container(podman, machine), machine, environment))
        .containsAllEntriesOf(closed());
  }

  @Test
  void escapeCheckFindsASharedMachineNetwork() throws Exception {
    Bubblewrapped.require();
    var machine = machine();
    var check =
        new EscapeCheck(
            Isolations.choose("bubblewrap", machine),
            machine,
            Environment.NONE,
            EgressSetting.MACHINE,
            EscapeCheckTest::start);

    assertThat(results(check))
        .containsEntry("services of this machine (loopback)", EscapeCheck.Result.OPEN)
        .containsEntry("the operator's home", EscapeCheck.Result.CLOSED);
  }

  @Test
  void escapeCheckFindsAMistakenlyPermittedHost() throws Exception {
    Bubblewrapped.require();
    var machine = machine();
    var check =
        new EscapeCheck(
            Isolations.choose("bubblewrap", machine, true),
            machine,
            Environment.NONE,
            new EgressSetting(List.of("public", "internal:169.254.169.254:80")),
            EscapeCheckTest::start);

    assertThat(results(check))
        .containsEntry("the cloud's metadata service, by the proxy", EscapeCheck.Result.OPEN)
        .containsEntry("internal networks, by the proxy", EscapeCheck.Result.CLOSED);
  }

  private Map<String, EscapeCheck.Result> found(
      Isolation.Local isolation, Machine machine, Environment environment) throws Exception {
    return results(
        new EscapeCheck(
            isolation, machine, environment, EgressSetting.PUBLIC, EscapeCheckTest::start));
  }

  private Map<String, EscapeCheck.Result> results(EscapeCheck check) throws Exception {
    return check.run(folder.resolve("data")).stream()
        .collect(Collectors.toMap(EscapeCheck.Finding::what, EscapeCheck.Finding::result));
  }

  private static Process start(ProcessBuilder builder, boolean needsSocket) throws IOException {
    return SPAWNER.process(builder, needsSocket ? Spawner.Channel.SOCKET : Spawner.Channel.PIPE);
  }

  private static Map<String, EscapeCheck.Result> closed() {
    return WAYS.stream().collect(Collectors.toMap(way -> way, _ -> EscapeCheck.Result.CLOSED));
  }

  private Machine machine() throws IOException {
    var operator = Files.createDirectories(folder.resolve("operator"));
    Files.writeString(operator.resolve(".bashrc"), "x");
    var settings = Files.writeString(folder.resolve("runnel.yaml"), "x");
    return new Machine(
            Map.of(
                "PATH",
                folder.resolve("bin") + ":" + System.getenv("PATH"),
                "HOME",
                operator.toString()),
            List.of(folder.resolve("data"), settings))
        .with(AgentUsers.any());
  }
}
