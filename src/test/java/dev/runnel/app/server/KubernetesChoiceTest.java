package dev.runnel.app.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.KubernetesOptions;
import dev.runnel.app.settings.Settings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.service.workspace.PodOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubernetesChoiceTest {
  @TempDir Path folder;

  private Settings settings(String agents) throws IOException {
    var file = folder.resolve("runnel.yaml");
    Files.writeString(
        file, "data: %s\nagents:\n%s".formatted(folder.resolve("node"), agents.indent(2)));
    return Settings.read(Map.of(), Optional.of(file), Map.of());
  }

  private String problem(String agents) throws IOException {
    return KubernetesChoice.problem(Config.of(settings(agents)), Map.of(), Duration.ofSeconds(5))
        .orElseThrow();
  }

  @Test
  void volumeClaimIsRequired() throws IOException {
    assertThat(problem("isolation: kubernetes\negress: machine"))
        .isEqualTo(
            "agents.isolation is kubernetes, and RUNNEL_AGENTS_KUBERNETES_CLAIM"
                + " (agents.kubernetes.claim) is missing. Name the persistent volume claim that"
                + " Runnel has mounted.");
  }

  @Test
  void theDataFolderMustBeOnTheVolume() throws IOException {
    assertThat(
            problem(
                "isolation: kubernetes\negress: machine\nkubernetes: {claim: work, volume: /mnt}"))
        .contains("is not in /mnt, where agents.kubernetes.volume says that the claim is mounted");
  }

  @Test
  void networkLimitsThatRunnelCannotSetInPodsAreRefused() throws IOException {
    assertThat(problem("isolation: kubernetes\nkubernetes: {claim: work}"))
        .contains("Limit the pods with a NetworkPolicy", "set agents.egress to machine");
    assertThat(
            problem(
                """
                isolation: kubernetes
                egress: machine
                kubernetes: {claim: work}
                environments: {web: {egress: [npm]}}
                """))
        .contains("set agents.egress to machine, here and in environments.");
  }

  @Test
  void permissionRulesThatNeedAnAnswerAreRefusedInPods() throws IOException {
    var isolation =
        "isolation: kubernetes\negress: machine\nkubernetes: {claim: work, volume: %s}\n";
    assertThat(problem(isolation.formatted(folder) + "ask: [WebFetch]"))
        .contains("nobody can answer the questions of agents.ask");
    assertThat(problem(isolation.formatted(folder) + "environments: {web: {ask: [WebFetch]}}"))
        .contains("Remove it, here and in environments.");
  }

  @Test
  void optionsOfAllPodsAndOfAnEnvironmentAreRead() throws IOException {
    var settings =
        settings(
            """
            kubernetes:
              service_account: agents
              node_selector: {disk: ssd, zone: a}
              secrets: [model-key]
              memory: 1Gi
              tolerations: [agents]
            environments:
              web:
                kubernetes:
                  memory: 4Gi
                  node_selector: {gpu: "yes"}
                  extended_resources: {nvidia.com/gpu: 1}
                  tolerations: ["nvidia.com/gpu:NoSchedule"]
            """);
    var all = KubernetesOptions.pods(settings);
    var web = settings.environments().all().getFirst().pod().orElse(all);

    assertThat(all.nodeSelector()).isEqualTo(Map.of("disk", "ssd", "zone", "a"));
    assertThat(web.nodeSelector()).isEqualTo(Map.of("gpu", "yes"));
    assertThat(web.memory()).contains("4Gi");
    assertThat(web.serviceAccount()).contains("agents");
    assertThat(web.secrets()).containsExactly("model-key");
    assertThat(all.tolerations()).containsExactly(PodOptions.Toleration.of("agents"));
    assertThat(web.extendedResources()).isEqualTo(Map.of("nvidia.com/gpu", "1"));
    assertThat(web.tolerations())
        .containsExactly(
            new PodOptions.Toleration(
                "nvidia.com/gpu", Optional.empty(), Optional.of("NoSchedule")));
  }

  @Test
  void aSectionOfTheFileMayNameExtendedResources() throws IOException {
    assertThat(
            KubernetesOptions.pods(
                    settings("kubernetes: {extended_resources: {nvidia.com/gpu: 2}}"))
                .extendedResources())
        .isEqualTo(Map.of("nvidia.com/gpu", "2"));
  }

  @Test
  void invalidPodOptionsAreNamed() throws IOException {
    assertThatThrownBy(() -> KubernetesOptions.pods(settings("kubernetes: {memory: lots}")))
        .isInstanceOf(SettingsException.class)
        .hasMessage("agents.kubernetes: memory is lots, and must be a quantity like 1Gi.");
    assertThatThrownBy(
            () -> KubernetesOptions.pods(settings("kubernetes: {extended_resources: {gpu: 1}}")))
        .hasMessageContaining("extended_resources holds gpu: 1")
        .hasMessageContaining("like nvidia.com/gpu: 1");
    assertThatThrownBy(
            () ->
                KubernetesOptions.pods(
                    settings("kubernetes: {extended_resources: {nvidia.com/gpu: some}}")))
        .hasMessageContaining("extended_resources holds nvidia.com/gpu: some");
    assertThatThrownBy(
            () -> KubernetesOptions.pods(settings("kubernetes: {tolerations: [\"gpu:Never\"]}")))
        .hasMessageContaining("tolerations holds gpu:Never, and must hold taints like");
    assertThatThrownBy(() -> settings("environments: {web: {kubernetes: {secrets: [Not_a_name]}}}"))
        .hasMessageContaining("agents.environments.web.kubernetes")
        .hasMessageContaining("Not_a_name, which is not a name of a Kubernetes object");
    assertThatThrownBy(() -> settings("environments: {web: {kubernetes: {claim: other}}}"))
        .hasMessageContaining("there is no setting agents.environments.web.kubernetes.claim");
  }
}
