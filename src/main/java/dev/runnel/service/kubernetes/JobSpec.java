package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.limit.Limits;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.PodOptions;
import io.fabric8.kubernetes.api.model.EnvFromSourceBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Describes the Job of one start. Pure, but that it leaves out files that do not exist.
///
/// @param user the user id on the volume, which owns the folders of the run
record JobSpec(KubernetesSettings settings, long user, long group) {
  static final String MANAGED_BY = "app.kubernetes.io/managed-by";
  static final String RUNNEL = "runnel";
  static final String START = "runnel.dev/start";
  static final String RUN = "runnel.dev/run";
  static final String EXECUTION = "runnel.dev/execution";
  static final String CLAIM = "runnel.dev/claim";

  /// For network policies and quotas.
  static final String ENVIRONMENT = "runnel.dev/environment";

  static final String PART = "runnel.dev/part";

  static final String CONTAINER = "agent";

  private static final String VOLUME = "work";
  private static final Duration SLACK = Duration.ofMinutes(10);
  private static final int KEPT_SECONDS = 3600;
  private static final int MAX_LABEL = 63;

  /// @param name of the Job
  /// @param files the folder with the files of the start
  /// @param mark what lines of standard error begin with
  Job of(String name, Isolation.Place place, List<String> command, Path files, String mark) {
    var labels = labels(name, place.job(), place.environment());
    var options = place.environment().pod().or(settings.pods());
    return new JobBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(settings.namespace())
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withBackoffLimit(0)
        .withCompletions(1)
        .withParallelism(1)
        // A pod that is being deleted may still be working.
        .withPodReplacementPolicy("Failed")
        .withActiveDeadlineSeconds(deadline())
        .withTtlSecondsAfterFinished(KEPT_SECONDS)
        .withNewTemplate()
        .withNewMetadata()
        .withLabels(labels)
        .endMetadata()
        .withNewSpec()
        .withRestartPolicy("Never")
        .withAutomountServiceAccountToken(false)
        .withServiceAccountName(options.serviceAccount().orElse(null))
        .withEnableServiceLinks(false)
        .withNodeSelector(options.nodeSelector().isEmpty() ? null : options.nodeSelector())
        .withImagePullSecrets(
            options.pullSecrets().stream().map(LocalObjectReference::new).toList())
        .withTerminationGracePeriodSeconds(seconds(settings.grace()))
        .withNewSecurityContext()
        .withRunAsNonRoot(true)
        .withRunAsUser(user)
        .withRunAsGroup(group)
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .endSecurityContext()
        .addNewContainer()
        .withName(CONTAINER)
        .withImage(place.environment().image().orElseThrow())
        .withCommand(StartScript.command(mark, place.folder().toAbsolutePath().toString(), command))
        .withWorkingDir("/")
        .withEnvFrom(
            options.secrets().stream()
                .map(
                    each ->
                        new EnvFromSourceBuilder()
                            .withNewSecretRef()
                            .withName(each)
                            .endSecretRef()
                            .build())
                .toList())
        .withNewSecurityContext()
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .endSecurityContext()
        .withNewResources()
        .withRequests(requests(options))
        .withLimits(limits())
        .endResources()
        .withVolumeMounts(mounts(place, files))
        .endContainer()
        .addNewVolume()
        .withName(VOLUME)
        .withNewPersistentVolumeClaim()
        .withClaimName(settings.claim())
        .endPersistentVolumeClaim()
        .endVolume()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  static Map<String, String> labels(String name, ExecutionRequest job, Environment environment) {
    return Map.of(
        MANAGED_BY,
        RUNNEL,
        PART,
        CONTAINER,
        START,
        label(name),
        RUN,
        label(job.runId()),
        EXECUTION,
        Integer.toString(job.execution()),
        CLAIM,
        label(job.claim()),
        ENVIRONMENT,
        label(environment.uid()));
  }

  /// A value that Kubernetes accepts: the text itself, if it is short and of the usual characters.
  static String label(String text) {
    if (text.length() <= MAX_LABEL && text.matches("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")) {
      return text;
    }
    return "x" + HexFormat.of().toHexDigits(text.hashCode());
  }

  /// Each folder at its own path, and nothing else of the volume.
  private List<VolumeMount> mounts(Isolation.Place place, Path files) {
    var mounts = new ArrayList<VolumeMount>();
    var home = place.home();
    mounts.add(mount(place.root(), place.root(), false));
    mounts.add(mount(home.folder(), home.folder(), false));
    home.mounts().forEach((where, what) -> mounts.add(mount(what, where, false)));
    mounts.add(mount(home.temporary(), Path.of("/tmp"), false));
    mounts.add(mount(home.temporary(), Path.of("/var/tmp"), false));
    mounts.add(mount(files, Path.of(StartScript.FOLDER), false));
    place.readable().stream()
        .map(each -> each.toAbsolutePath().normalize())
        // What lies elsewhere on Runnel's machine must be in the image.
        .filter(each -> each.startsWith(settings.volume()) && Files.exists(each))
        .forEach(each -> mounts.add(mount(each, each, true)));
    return mounts;
  }

  private VolumeMount mount(Path what, Path where, boolean readOnly) {
    var path = what.toAbsolutePath().normalize();
    return new VolumeMountBuilder()
        .withName(VOLUME)
        .withMountPath(where.toAbsolutePath().toString())
        .withSubPath(settings.volume().relativize(path).toString())
        .withReadOnly(readOnly ? true : null)
        .build();
  }

  private Map<String, Quantity> requests(PodOptions options) {
    var requests = new HashMap<String, Quantity>();
    options.cpu().ifPresent(text -> requests.put("cpu", new Quantity(text)));
    options.memory().ifPresent(text -> requests.put("memory", new Quantity(text)));
    return requests;
  }

  private Map<String, Quantity> limits() {
    var limits = new HashMap<String, Quantity>();
    var quotas = settings.quotas();
    if (quotas.memoryBytes() != Limits.ENDLESS) {
      limits.put("memory", new Quantity(Long.toString(quotas.memoryBytes())));
    }
    if (quotas.cpus() < Quotas.ALL_CPUS) {
      limits.put(
          "cpu",
          new Quantity(BigDecimal.valueOf(quotas.cpus()).stripTrailingZeros().toPlainString()));
    }
    return limits;
  }

  /// Later than Runnel would end it; null for never.
  private @Nullable Long deadline() {
    return settings.total().compareTo(Limits.FOREVER) >= 0
            || settings.start().compareTo(Limits.FOREVER) >= 0
        ? null
        : seconds(settings.start().plus(settings.total()).plus(settings.grace()).plus(SLACK));
  }

  static long seconds(Duration time) {
    return Math.max(1, time.plusNanos(999_999_999).toSeconds());
  }
}
