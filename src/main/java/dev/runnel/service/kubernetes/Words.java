package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.limit.Limits;
import java.time.Duration;

/// Says for people what Kubernetes did to a program.
record Words(String environment, String image, Quotas quotas) {
  private static final int LONGEST = 500;

  static Words of(Isolation.Place place, Quotas quotas) {
    return new Words(place.environment().name(), place.environment().image().orElse(""), quotas);
  }

  ExecutionResult noImage(String why) {
    return ExecutionResult.notSetUp(
        "Kubernetes cannot get the image %s of the environment %s: %s. Check its docker_image and pull_secrets."
            .formatted(image, environment, clause(why)));
  }

  ExecutionResult noContainer(String why) {
    return ExecutionResult.notSetUp(
        "Kubernetes cannot start the image %s of the environment %s: %s."
            .formatted(image, environment, clause(why)));
  }

  ExecutionResult noQuota(String why) {
    return ExecutionResult.notSetUp(
        "Kubernetes refused the pod, because the quota of its namespace is used up: %s. Reply to try again; an operator can raise the quota or lower agents.slots_of_all."
            .formatted(clause(why)));
  }

  ExecutionResult refused(String why) {
    return ExecutionResult.notSetUp(
        "Kubernetes refused to start the agent: %s. An operator can run ./runnel check."
            .formatted(clause(why)));
  }

  ExecutionResult noRoom(Duration limit, String why) {
    return ExecutionResult.outOfTime(
        "Kubernetes did not start the agent within %s; the limit is agents.limits.start. %s"
            .formatted(
                Limits.words(limit),
                why.isBlank() ? "It does not say why." : "It says: " + clause(why) + "."));
  }

  ExecutionResult outOfMemory() {
    return ExecutionResult.failed(
        quotas.memoryBytes() == Limits.ENDLESS
            ? "The agent was stopped: its machine had no more memory."
            : "The agent was stopped: it took more than %s of memory. The limit is agents.limits.memory."
                .formatted(Limits.words(quotas.memoryBytes())));
  }

  ExecutionResult evicted(String why) {
    return again(
        "Kubernetes took the agent off its machine%s. Reply to continue."
            .formatted(why.isBlank() ? "" : ": " + clause(why)));
  }

  ExecutionResult ended(String why) {
    return again(
        "Kubernetes ended the agent%s. Reply to continue."
            .formatted(why.isBlank() ? "" : ": " + clause(why)));
  }

  ExecutionResult deleted() {
    return again("The agent's pod was deleted in Kubernetes. Reply to continue.");
  }

  ExecutionResult jobDeleted() {
    return again("The agent's Job was deleted in Kubernetes. Reply to continue.");
  }

  ExecutionResult deadline() {
    return ExecutionResult.outOfTime(
        "Kubernetes ended the agent: it worked longer than agents.limits.start and"
            + " agents.limits.total allow together.");
  }

  private static ExecutionResult again(String why) {
    return new ExecutionResult(ExecutionState.ERROR, why, "agent_process_failed", true);
  }

  /// One line without the full stop, and not very long.
  private static String clause(String why) {
    var line = why.strip().replaceAll("\\s+", " ").replaceAll("[.]+$", "");
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
