package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.workspace.PodOptions;
import java.nio.file.Path;
import java.time.Duration;

/// How executions run in Kubernetes.
///
/// @param namespace of the Jobs
/// @param claim the persistent volume claim with the workspaces
/// @param volume where Runnel has mounted that claim
/// @param starts the folder on the volume for the files of starts
/// @param pods what all pods are like, where their environment says nothing else
/// @param start how long a pod may take until its container runs
/// @param total how long an agent may work
/// @param grace how long programs may take to terminate
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
