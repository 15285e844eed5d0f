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
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TolerationBuilder;
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

/// Builds the Job of one start. Pure, except that it leaves out files that do not exist.
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
  private static final Duration DEADLINE_MARGIN = Duration.ofMinutes(10);
  private static final int TTL_SECONDS = 3600;
  private static final int MAX_LABEL = 63;

  /// @param name of the Job
  /// @param files the folder with the files of the start
  /// @param errorPrefix the prefix of standard error lines in the log
  Job of(String name, Isolation.Place place, List<String> command, Path files, String errorPrefix) {
    var labels = labels(name, place.request(), place.environment());
    var options = place.environment().pod().orElse(settings.pods());
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
        .withTtlSecondsAfterFinished(TTL_SECONDS)
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
        .withTolerations(options.tolerations().stream().map(JobSpec::toleration).toList())
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
        .withCommand(
            StartScript.command(errorPrefix, place.folder().toAbsolutePath().toString(), command))
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
        .withLimits(limits(options))
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

  static Map<String, String> labels(
      String name, ExecutionRequest request, Environment environment) {
    return Map.of(
        MANAGED_BY,
        RUNNEL,
        PART,
        CONTAINER,
        START,
        label(name),
        RUN,
        label(request.runId()),
        EXECUTION,
        Integer.toString(request.execution()),
        CLAIM,
        label(request.claim()),
        ENVIRONMENT,
        label(environment.uid()));
  }

  /// A valid label value: the text itself if it is valid, else a hash of it.
  static String label(String text) {
    if (text.length() <= MAX_LABEL && text.matches("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")) {
      return text;
    }
    return "x" + HexFormat.of().toHexDigits(text.hashCode());
  }

  /// Mounts each folder at its own path, and nothing else of the volume.
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
        // Files outside the volume must be in the image.
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

  private static Toleration toleration(PodOptions.Toleration toleration) {
    return new TolerationBuilder()
        .withKey(toleration.key())
        .withOperator(toleration.value().isPresent() ? "Equal" : "Exists")
        .withValue(toleration.value().orElse(null))
        .withEffect(toleration.effect().orElse(null))
        .build();
  }

  private Map<String, Quantity> limits(PodOptions options) {
    var limits = new HashMap<String, Quantity>();
    var quotas = settings.quotas();
    if (quotas.memoryBytes() != Limits.UNLIMITED) {
      limits.put("memory", new Quantity(Long.toString(quotas.memoryBytes())));
    }
    if (quotas.cpus() < Quotas.ALL_CPUS) {
      limits.put(
          "cpu",
          new Quantity(BigDecimal.valueOf(quotas.cpus()).stripTrailingZeros().toPlainString()));
    }
    // The request of these is their limit.
    options.extendedResources().forEach((name, count) -> limits.put(name, new Quantity(count)));
    return limits;
  }

  /// A deadline later than that of Runnel, in seconds; null for none.
  private @Nullable Long deadline() {
    return settings.total().compareTo(Limits.FOREVER) >= 0
            || settings.start().compareTo(Limits.FOREVER) >= 0
        ? null
        : seconds(
            settings.start().plus(settings.total()).plus(settings.grace()).plus(DEADLINE_MARGIN));
  }

  static long seconds(Duration time) {
    return Math.max(1, time.plusNanos(999_999_999).toSeconds());
  }
}
