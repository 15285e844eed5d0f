package dev.runnel.service.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.RunningService;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.workspace.AgentUser;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.PodOptions;
import dev.runnel.service.workspace.RunHome;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobSpecTest {
  private static final PodOptions ALL =
      new PodOptions(
          Optional.of("agents"),
          Map.of("disk", "ssd"),
          List.of("model-key"),
          List.of(),
          Optional.of("500m"),
          Optional.of("1Gi"),
          Map.of(),
          List.of(PodOptions.Toleration.of("agents")));

  private static final PodOptions OWN =
      new PodOptions(
          Optional.empty(),
          Map.of(),
          List.of("npm-token"),
          List.of("registry"),
          Optional.empty(),
          Optional.of("4Gi"),
          Map.of("nvidia.com/gpu", "2"),
          List.of(
              PodOptions.Toleration.of("nvidia.com/gpu:NoSchedule"),
              PodOptions.Toleration.of("team=web")));

  @TempDir Path volume;

  private Job job(Limits limits, Quotas quotas) throws IOException {
    var data = Files.createDirectories(volume.resolve("node"));
    var environment =
        Environment.named("web")
            .withName("Web")
            .withImage(Optional.of("registry.test/agent:1"))
            .withVariables(List.of("FOR_WEB"))
            .withPod(OWN);
    var place =
        new Isolation.Place(
            ExecutionRequest.internal("run-1"),
            data.resolve("workspaces/run-1"),
            data.resolve("workspaces/run-1/shop"),
            environment,
            Set.of("FOR_WEB"),
            List.of(Files.createDirectories(data.resolve("agents/run-1")), Path.of("/usr/bin")),
            new RunHome(
                data.resolve("homes/run-1/home"),
                data.resolve("homes/run-1/tmp"),
                data.resolve("caches/web"),
                AgentUser.SAME));
    var settings =
        new KubernetesSettings(
            "agents",
            "work",
            volume,
            data.resolve("starts"),
            ALL,
            quotas,
            limits.start(),
            limits.total(),
            Duration.ofSeconds(5));
    return new JobSpec(settings, 999, 998)
        .of("runnel-1", place, List.of("claude", "-p"), data.resolve("starts/runnel-1"), "mark ");
  }

  @Test
  void jobHasNoRetriesADeadlineAndATimeToLive() throws IOException {
    var spec = job(Limits.DEFAULT, Quotas.DEFAULT).getSpec();

    assertThat(spec.getBackoffLimit()).isZero();
    assertThat(spec.getTemplate().getSpec().getRestartPolicy()).isEqualTo("Never");
    assertThat(spec.getPodReplacementPolicy()).isEqualTo("Failed");
    assertThat(spec.getActiveDeadlineSeconds()).isBetween(6 * 3600L + 900, 7 * 3600L);
    assertThat(spec.getTtlSecondsAfterFinished()).isEqualTo(3600);
  }

  @Test
  void podHasNoPrivileges() throws IOException {
    var pod = job(Limits.DEFAULT, Quotas.DEFAULT).getSpec().getTemplate().getSpec();
    var container = pod.getContainers().getFirst().getSecurityContext();

    assertThat(pod.getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getEnableServiceLinks()).isFalse();
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(999);
    assertThat(pod.getSecurityContext().getRunAsGroup()).isEqualTo(998);
    assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
    assertThat(container.getAllowPrivilegeEscalation()).isFalse();
    assertThat(container.getReadOnlyRootFilesystem()).isTrue();
    assertThat(container.getCapabilities().getDrop()).containsExactly("ALL");
  }

  /// Podman ignores much of what could be added: namespaces, ports and devices of the machine,
  /// secrets, or other containers.
  @Test
  void podSpecContainsNoOtherFields() throws IOException {
    var pod = job(Limits.DEFAULT, Quotas.DEFAULT).getSpec().getTemplate().getSpec();
    var container = pod.getContainers().getFirst();

    assertThat(fields(pod))
        .containsExactlyInAnyOrder(
            "automountServiceAccountToken",
            "containers",
            "enableServiceLinks",
            "imagePullSecrets",
            "nodeSelector",
            "restartPolicy",
            "securityContext",
            "serviceAccountName",
            "terminationGracePeriodSeconds",
            "tolerations",
            "volumes");
    assertThat(fields(pod.getSecurityContext()))
        .containsExactlyInAnyOrder("runAsGroup", "runAsNonRoot", "runAsUser", "seccompProfile");
    assertThat(pod.getVolumes())
        .singleElement()
        .satisfies(
            it ->
                assertThat(fields(it)).containsExactlyInAnyOrder("name", "persistentVolumeClaim"));
    assertThat(pod.getContainers()).hasSize(1);
    assertThat(fields(container))
        .containsExactlyInAnyOrder(
            "command",
            "envFrom",
            "image",
            "name",
            "resources",
            "securityContext",
            "volumeMounts",
            "workingDir");
    assertThat(fields(container.getSecurityContext()))
        .containsExactlyInAnyOrder(
            "allowPrivilegeEscalation", "capabilities", "readOnlyRootFilesystem");
    assertThat(fields(container.getSecurityContext().getCapabilities())).containsExactly("drop");
  }

  /// Without those that are empty.
  private static List<String> fields(Object resource) {
    var fields = new ArrayList<String>();
    RunningService.JSON
        .<ObjectNode>valueToTree(resource)
        .properties()
        .forEach(
            each -> {
              if (!each.getValue().isEmpty() || each.getValue().isValueNode()) {
                fields.add(each.getKey());
              }
            });
    return fields;
  }

  @Test
  void aPodSeesTheFoldersOfItsRunAndNothingElseOfTheVolume() throws IOException {
    var pod = job(Limits.DEFAULT, Quotas.DEFAULT).getSpec().getTemplate().getSpec();
    var mounts = pod.getContainers().getFirst().getVolumeMounts();

    assertThat(pod.getVolumes())
        .singleElement()
        .satisfies(
            it -> assertThat(it.getPersistentVolumeClaim().getClaimName()).isEqualTo("work"));
    assertThat(mounts)
        .extracting(VolumeMount::getSubPath)
        .contains("node/workspaces/run-1", "node/homes/run-1/home", "node/starts/runnel-1")
        .allMatch(
            path ->
                path.contains("/run-1")
                    || path.contains("/runnel-1")
                    || path.contains("caches/web/"));
    assertThat(mounts)
        .filteredOn(each -> Boolean.TRUE.equals(each.getReadOnly()))
        .extracting(VolumeMount::getMountPath)
        .containsExactly(volume.resolve("node/agents/run-1").toString());
    assertThat(mounts)
        .extracting(VolumeMount::getMountPath)
        .doesNotHaveDuplicates()
        .contains("/tmp", "/var/tmp", "/run/runnel")
        .doesNotContain("/usr/bin");
  }

  @Test
  void anEnvironmentReplacesSingleOptionsOfAllPods() throws IOException {
    var pod = job(Limits.DEFAULT, new Quotas(2L << 30, 100, 1.5)).getSpec().getTemplate().getSpec();
    var container = pod.getContainers().getFirst();

    assertThat(pod.getServiceAccountName()).isEqualTo("agents");
    assertThat(pod.getNodeSelector()).containsExactly(Map.entry("disk", "ssd"));
    assertThat(pod.getImagePullSecrets())
        .singleElement()
        .satisfies(it -> assertThat(it.getName()).isEqualTo("registry"));
    assertThat(container.getEnvFrom())
        .singleElement()
        .satisfies(it -> assertThat(it.getSecretRef().getName()).isEqualTo("npm-token"));
    assertThat(container.getImage()).isEqualTo("registry.test/agent:1");
    assertThat(container.getResources().getRequests())
        .isEqualTo(Map.of("cpu", new Quantity("500m"), "memory", new Quantity("4Gi")));
    assertThat(container.getResources().getLimits())
        .containsEntry("cpu", new Quantity("1.5"))
        .containsEntry("memory", new Quantity("2147483648"));
  }

  @Test
  void podGetsTheDevicesAndTolerationsOfItsEnvironment() throws IOException {
    var pod = job(Limits.DEFAULT, Quotas.DEFAULT).getSpec().getTemplate().getSpec();

    assertThat(pod.getContainers().getFirst().getResources().getLimits())
        .containsEntry("nvidia.com/gpu", new Quantity("2"));
    assertThat(pod.getTolerations())
        .containsExactly(
            new TolerationBuilder()
                .withKey("nvidia.com/gpu")
                .withOperator("Exists")
                .withEffect("NoSchedule")
                .build(),
            new TolerationBuilder().withKey("team").withOperator("Equal").withValue("web").build());
  }

  @Test
  void podHasNoResourceLimitsIfNoneAreSet() throws IOException {
    var endless =
        new Limits(
            Limits.FOREVER,
            Limits.FOREVER,
            Limits.FOREVER,
            Limits.UNLIMITED,
            Limits.UNLIMITED,
            Limits.FOREVER,
            Limits.UNLIMITED,
            Duration.ZERO);
    var spec =
        job(endless, new Quotas(Limits.UNLIMITED, Quotas.UNLIMITED_PROCESSES, Quotas.ALL_CPUS))
            .getSpec();

    assertThat(spec.getActiveDeadlineSeconds()).isNull();
    assertThat(spec.getTemplate().getSpec().getContainers().getFirst().getResources().getLimits())
        .doesNotContainKeys("cpu", "memory");
  }

  @Test
  void jobLabelsContainRunExecutionClaimAndEnvironment() throws IOException {
    var job = job(Limits.DEFAULT, Quotas.DEFAULT);

    assertThat(job.getMetadata().getLabels())
        .containsEntry("app.kubernetes.io/managed-by", "runnel")
        .containsEntry("runnel.dev/run", "run-1")
        .containsEntry("runnel.dev/execution", "0")
        .containsEntry("runnel.dev/claim", "run-1")
        .containsEntry("runnel.dev/environment", "web")
        .isEqualTo(job.getSpec().getTemplate().getMetadata().getLabels());
    assertThat(JobSpec.label("one two")).matches("x[0-9a-f]{8}");
  }
}
