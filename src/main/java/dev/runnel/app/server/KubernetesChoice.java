package dev.runnel.app.server;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.KubernetesOptions;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.kubernetes.Kubernetes;
import dev.runnel.service.kubernetes.KubernetesCheck;
import dev.runnel.service.kubernetes.KubernetesSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// `agents.isolation: kubernetes`. A class of its own, because it loads the Kubernetes client.
public final class KubernetesChoice {
  private static final String STARTS = "starts";

  private KubernetesChoice() {}

  /// @param data the data folder
  /// @throws IllegalArgumentException if the settings do not permit it; the message says what to do
  static Isolation open(Config config, Map<String, String> environment, Path data, Duration grace) {
    try {
      if (Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
        throw new IllegalArgumentException(
            "is kubernetes, and Runnel runs as root, whose files pods cannot use, because they do"
                + " not run as root. Run Runnel as another user.");
      }
      return Kubernetes.open(settings(config, environment, data, grace));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Whether the API server, the namespace and the rights are there.
  ///
  /// @return what to do; empty if there is no problem
  public static Optional<String> problem(
      Config config, Map<String, String> environment, Duration grace) {
    try {
      return KubernetesCheck.problem(settings(config, environment, config.data(), grace));
    } catch (IllegalArgumentException e) {
      return Optional.of("agents.isolation " + e.getMessage());
    }
  }

  /// The permissions that Runnel needs in the namespace: `create jobs`, …
  public static List<String> rights() {
    return KubernetesCheck.permissions();
  }

  private static KubernetesSettings settings(
      Config config, Map<String, String> environment, Path data, Duration grace) {
    var settings = config.settings();
    var claim =
        settings
            .get(KubernetesOptions.CLAIM)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "is kubernetes, and %s (%s) is missing. Name the persistent volume claim"
                                .formatted(KubernetesOptions.CLAIM, KubernetesOptions.CLAIM.path())
                            + " that Runnel has mounted."));
    var volume =
        settings
            .get(KubernetesOptions.VOLUME)
            .map(Path::of)
            .orElse(data)
            .toAbsolutePath()
            .normalize();
    if (!data.toAbsolutePath().normalize().startsWith(volume)) {
      throw new IllegalArgumentException(
          "is kubernetes, and the data folder %s is not in %s, where %s says that the claim is mounted. Move the data folder there with RUNNEL_DATA."
              .formatted(data, volume, KubernetesOptions.VOLUME.path()));
    }
    if (config.limitsEgress()) {
      throw new IllegalArgumentException(
          "is kubernetes, where agents have the network of their pods, and agents.egress asks for"
              + " limits that Runnel cannot set there. Limit the pods with a NetworkPolicy, as"
              + " deploy/kubernetes-jobs does, and set agents.egress to machine, here and in"
              + " environments.");
    }
    if (config.asksForPermission()) {
      throw new IllegalArgumentException(
          "is kubernetes, where agents get no input after their start, so that nobody can answer"
              + " the questions of agents.ask. Remove it, here and in environments.");
    }
    return new KubernetesSettings(
        settings.get(KubernetesOptions.NAMESPACE).orElseGet(Kubernetes::ownNamespace),
        claim,
        volume,
        data.resolve(STARTS),
        KubernetesOptions.pods(settings),
        config.machine(environment, data).quotas(),
        config.limits().start(),
        config.limits().total(),
        grace);
  }
}
