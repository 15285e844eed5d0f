package dev.runnel.testkit;

import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.Store;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Surfaces;
import java.util.random.RandomGenerator;

/// Dispatchers for tests that are not about their options.
public final class Dispatchers {
  private Dispatchers() {}

  /// A dispatcher without profiles, defaults and a listener.
  public static Dispatcher of(
      Store store, AgentRuns runs, Surfaces surfaces, Policy policy, RandomGenerator chance) {
    return Dispatcher.of(
        store,
        runs,
        surfaces,
        Profiles.NONE,
        Defaults.NONE,
        policy,
        HealthCheck.NONE,
        new OutageRecovery(store, runs, surfaces),
        RunChangeListener.NONE,
        DispatchOptions.DEFAULT,
        chance);
  }
}
