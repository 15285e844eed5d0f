package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.workspace.PodOptions;
import java.nio.file.Path;
import java.time.Duration;

/// How executions run in Kubernetes.
///
/// @param namespace of the Jobs
/// @param claim the persistent volume claim with the workspaces
/// @param volume the path at which Runnel has mounted that claim
/// @param starts the folder on the volume for the files of starts
/// @param pods default options of pods, which environments can override
/// @param start maximum time until the container of a pod runs
/// @param total maximum duration of an execution
/// @param grace how long programs may take to terminate before they are killed
public record KubernetesSettings(
    String namespace,
    String claim,
    Path volume,
    Path starts,
    PodOptions pods,
    Quotas quotas,
    Duration start,
    Duration total,
    Duration grace) {
  public KubernetesSettings {
    volume = volume.toAbsolutePath().normalize();
    starts = starts.toAbsolutePath().normalize();
  }
}
