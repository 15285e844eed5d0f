package dev.runnel.service.kubernetes;

import dev.runnel.service.isolation.Isolation;
import dev.runnel.service.isolation.Quotas;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.ExecutionResult;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.run.limit.Limits;
import java.time.Duration;

/// The results of executions that Kubernetes ended or did not start, with messages for people.
record PodResults(ExecutionRequest request, String environment, String image, Quotas quotas) {
  private static final int MAX_LENGTH = 500;

  static PodResults of(Isolation.Place place, Quotas quotas) {
    return new PodResults(
        place.request(),
        place.environment().name(),
        place.environment().image().orElse(""),
        quotas);
  }

  ExecutionResult noImage(String why) {
    return ExecutionResult.setupFailed(
        "Kubernetes cannot get the image %s of the environment %s: %s. Check its docker_image and pull_secrets."
            .formatted(image, environment, clause(why)));
  }

  ExecutionResult noContainer(String why) {
    return ExecutionResult.setupFailed(
        "Kubernetes cannot start the image %s of the environment %s: %s."
            .formatted(image, environment, clause(why)));
  }

  ExecutionResult noQuota(String why) {
    return ExecutionResult.unavailable(
        "Kubernetes refused the pod, because the quota of its namespace is used up: %s. Reply to try again; an operator can raise the quota or lower agents.slots_of_all."
            .formatted(clause(why)));
  }

  ExecutionResult refused(String why) {
    return ExecutionResult.setupFailed(
        "Kubernetes refused to start the agent: %s. An operator can run ./runnel check."
            .formatted(clause(why)));
  }

  ExecutionResult notStartedInTime(Duration limit, String why) {
    return ExecutionResult.timedOut(
        "Kubernetes did not start the agent within %s; the limit is agents.limits.start. %s"
            .formatted(
                Limits.format(limit),
                why.isBlank() ? "It gives no reason." : "It says: " + clause(why) + "."));
  }

  ExecutionResult outOfMemory() {
    return ExecutionResult.failed(
        quotas.memoryBytes() == Limits.UNLIMITED
            ? "The agent was stopped: its machine had no more memory."
            : "The agent was stopped: it took more than %s of memory. The limit is agents.limits.memory."
                .formatted(Limits.format(quotas.memoryBytes())));
  }

  ExecutionResult evicted(String why) {
    return retryable(
        "Kubernetes evicted the agent from its machine%s. Reply to continue."
            .formatted(why.isBlank() ? "" : ": " + clause(why)));
  }

  ExecutionResult ended(String why) {
    return retryable(
        "Kubernetes ended the agent%s. Reply to continue."
            .formatted(why.isBlank() ? "" : ": " + clause(why)));
  }

  ExecutionResult deleted() {
    return retryable("The agent's pod was deleted in Kubernetes. Reply to continue.");
  }

  ExecutionResult jobDeleted() {
    return retryable("The agent's Job was deleted in Kubernetes. Reply to continue.");
  }

  ExecutionResult deadlineExceeded() {
    return ExecutionResult.timedOut(
        "Kubernetes ended the agent: it worked longer than agents.limits.start and"
            + " agents.limits.total allow together.");
  }

  ExecutionResult internalError() {
    return ExecutionResult.internalError(request.runId(), request.execution());
  }

  private static ExecutionResult retryable(String why) {
    return new ExecutionResult(ExecutionState.ERROR, why, "internal_error", true);
  }

  /// The text as one line without a full stop, of limited length.
  private static String clause(String why) {
    var line = why.strip().replaceAll("\\s+", " ").replaceAll("[.]+$", "");
    return line.length() <= MAX_LENGTH ? line : line.substring(0, MAX_LENGTH) + "…";
  }
}
