package dev.runnel.service.kubernetes;

import dev.runnel.service.run.ExecutionResult;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The state of a pod's program.
sealed interface PodState {
  /// The program has not started.
  ///
  /// @param why the message of Kubernetes; blank if there is none
  record Waiting(String why) implements PodState {}

  /// It will not start.
  record CannotStart(ExecutionResult result) implements PodState {}

  record Running() implements PodState {}

  /// The program has ended.
  ///
  /// @param problem empty if it ended by itself
  record Ended(int status, Optional<ExecutionResult> problem) implements PodState {}

  /// Reasons of a container whose image cannot be pulled. The reason of the first failed attempt is
  /// not among them, because it may be temporary.
  Set<String> NO_IMAGE = Set.of("ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull");

  /// Reasons of a container that cannot be created from its specification.
  Set<String> NO_CONTAINER =
      Set.of(
          "CreateContainerConfigError", "CreateContainerError", "RunContainerError", "StartError");

  int KILLED = 137;

  static PodState of(Pod pod, PodResults results) {
    var status = pod.getStatus();
    if (status == null) {
      return new Waiting("");
    }
    var reason = text(status.getReason());
    var container =
        Optional.ofNullable(status.getContainerStatuses()).orElse(List.of()).stream()
            .filter(each -> JobSpec.CONTAINER.equals(each.getName()))
            .findFirst();
    var terminated = container.map(ContainerStatus::getState).map(state -> state.getTerminated());
    if (terminated.isPresent()) {
      var code = Optional.ofNullable(terminated.get().getExitCode()).orElse(KILLED);
      return new Ended(
          code, problem(pod, code, text(terminated.get().getReason()), reason, results));
    }
    if ("Failed".equals(status.getPhase()) || "Succeeded".equals(status.getPhase())) {
      return new Ended(KILLED, Optional.of(ended(reason, text(status.getMessage()), results)));
    }
    if (container.map(ContainerStatus::getState).map(state -> state.getRunning()).isPresent()) {
      return new Running();
    }
    var waiting = container.map(ContainerStatus::getState).map(state -> state.getWaiting());
    if (waiting.isPresent()) {
      var why = text(waiting.get().getReason());
      var message = text(waiting.get().getMessage());
      if (NO_IMAGE.contains(why)) {
        return new CannotStart(results.noImage(message.isBlank() ? why : message));
      }
      if (NO_CONTAINER.contains(why)) {
        return new CannotStart(results.noContainer(message.isBlank() ? why : message));
      }
    }
    return new Waiting(unscheduled(pod));
  }

  private static Optional<ExecutionResult> problem(
      Pod pod, int code, String containerReason, String podReason, PodResults results) {
    if (code == 0) {
      return Optional.empty();
    }
    if (containerReason.equals("OOMKilled")) {
      return Optional.of(results.outOfMemory());
    }
    if (code == StartScript.REFUSED) {
      return Optional.of(results.deleted());
    }
    if (NO_CONTAINER.contains(containerReason) || containerReason.equals("ContainerCannotRun")) {
      return Optional.of(
          results.noContainer(
              text(
                  pod.getStatus().getContainerStatuses().stream()
                      .map(each -> each.getState().getTerminated())
                      .filter(each -> each != null && each.getMessage() != null)
                      .map(each -> each.getMessage())
                      .findFirst()
                      .orElse(containerReason))));
    }
    if (!podReason.isBlank()) {
      return Optional.of(ended(podReason, text(pod.getStatus().getMessage()), results));
    }
    return pod.getMetadata().getDeletionTimestamp() == null
        ? Optional.empty()
        : Optional.of(results.deleted());
  }

  private static ExecutionResult ended(String reason, String message, PodResults results) {
    return switch (reason) {
      case "Evicted", "Preempting", "Terminated", "NodeShutdown" -> results.evicted(message);
      case "DeadlineExceeded" -> results.deadlineExceeded();
      default -> results.ended(message.isBlank() ? reason : message);
    };
  }

  private static String unscheduled(Pod pod) {
    return Optional.ofNullable(pod.getStatus().getConditions()).orElse(List.of()).stream()
        .filter(each -> "PodScheduled".equals(each.getType()) && "False".equals(each.getStatus()))
        .map(each -> text(each.getMessage()))
        .findFirst()
        .orElse("");
  }

  private static String text(@Nullable String text) {
    return text == null ? "" : text.strip();
  }
}
