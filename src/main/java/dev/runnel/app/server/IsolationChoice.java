package dev.runnel.app.server;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.RunnelSettings;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.service.isolation.AgentAccount;
import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Isolations;
import dev.runnel.service.isolation.Machine;
import dev.runnel.surface.Setting;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;

/// Chooses the isolation of agents, and refuses to run without it where others can start agents and
/// nobody decided that.
public final class IsolationChoice {
  private IsolationChoice() {}

  /// @param data the data folder
  /// @throws SettingsException if the machine does not support the requested isolation or account
  ///   of agents, or has none while others can start agents and nobody decided that they run
  ///   without it
  static Isolation open(Config config, Map<String, String> environment, Path data) {
    return config.isolation().equals(Isolations.KUBERNETES)
        ? orRefused(
            RunnelSettings.AGENTS_ISOLATION,
            () -> KubernetesChoice.open(config, environment, data, RunnelServer.AGENT_GRACE))
        : onThisMachine(config, environment, data);
  }

  /// The same, for every isolation but Kubernetes. Starts nothing that continues.
  public static Isolation.Local onThisMachine(
      Config config, Map<String, String> environment, Path data) {
    var user =
        orRefused(
            RunnelSettings.AGENTS_USER,
            () -> AgentAccount.choose(config.agentsUser(), environment, data));
    var machine = config.machine(environment, data).with(user);
    var chosen = orRefused(RunnelSettings.AGENTS_ISOLATION, () -> choose(config, machine));
    if (!chosen.isOn()) {
      orRefused(
          RunnelSettings.AGENTS_USER,
          () -> {
            AgentAccount.admit(user, environment, data);
            return user;
          });
    }
    return chosen;
  }

  private static Isolation.Local choose(Config config, Machine machine) {
    var chosen = Isolations.choose(config.isolation(), machine, config.limitsEgress());
    if (!chosen.isOn() && config.isolation().equals("auto") && isOpenToOthers(config)) {
      throw new IllegalArgumentException(
          "is auto, and bubblewrap does not work here, so agents would run without isolation:"
              + " whoever can start one could read Runnel's secrets. Install bubblewrap (package"
              + " bubblewrap; this user must be allowed to create user namespaces), or set it to"
              + " container, or set it to none to accept that.");
    }
    return chosen;
  }

  private static boolean isOpenToOthers(Config config) {
    return Platforms.isAnyOn(config.settings()) || !config.settings().hooks().isEmpty();
  }

  private static <T> T orRefused(Setting setting, Supplier<T> choice) {
    try {
      return choice.get();
    } catch (IllegalArgumentException e) {
      throw new SettingsException("%s (%s) %s".formatted(setting, setting.path(), e.getMessage()));
    }
  }
}
