package dev.runnel.core.model;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A run as last read from the run service.
///
/// @param stateName the service's own word for the state
/// @param message the service's status message: progress, a question, the answer, or why it failed
/// @param retryable whether the service says that a new run may work
/// @param updatedAt by the service's clock; empty where the service was not asked yet
/// @param delivery the `runnel.delivery` it was started with
/// @param environment where the agent works, as the service names it
/// @param model what it thinks with
/// @param replies what no agent has of what was said to it; empty where the service does not tell
public record Run(
    RunId id,
    String title,
    RunState state,
    String stateName,
    Optional<String> message,
    boolean retryable,
    Optional<URI> session,
    List<Artifact> artifacts,
    Optional<String> cost,
    Optional<Duration> runTime,
    Optional<Instant> updatedAt,
    Optional<DeliveryId> delivery,
    Optional<String> environment,
    Optional<String> model,
    Optional<Replies> replies) {
  /// A run of whose replies nobody knows more than that they were said.
  public Run(
      RunId id,
      String title,
      RunState state,
      String stateName,
      Optional<String> message,
      boolean retryable,
      Optional<URI> session,
      List<Artifact> artifacts,
      Optional<String> cost,
      Optional<Duration> runTime,
      Optional<Instant> updatedAt,
      Optional<DeliveryId> delivery,
      Optional<String> environment,
      Optional<String> model) {
    this(
        id,
        title,
        state,
        stateName,
        message,
        retryable,
        session,
        artifacts,
        cost,
        runTime,
        updatedAt,
        delivery,
        environment,
        model,
        Optional.empty());
  }

  /// A run of which nobody knows where and with what it runs.
  public Run(
      RunId id,
      String title,
      RunState state,
      String stateName,
      Optional<String> message,
      boolean retryable,
      Optional<URI> session,
      List<Artifact> artifacts,
      Optional<String> cost,
      Optional<Duration> runTime,
      Optional<Instant> updatedAt,
      Optional<DeliveryId> delivery) {
    this(
        id,
        title,
        state,
        stateName,
        message,
        retryable,
        session,
        artifacts,
        cost,
        runTime,
        updatedAt,
        delivery,
        Optional.empty(),
        Optional.empty());
  }

  public Run {
    artifacts = List.copyOf(artifacts);
    // Rows of an older version have none.
    replies = Objects.requireNonNullElse(replies, Optional.empty());
  }

  /// The same, and what is known of what was said to it.
  public Run telling(Replies known) {
    return new Run(
        id,
        title,
        state,
        stateName,
        message,
        retryable,
        session,
        artifacts,
        cost,
        runTime,
        updatedAt,
        delivery,
        environment,
        model,
        Optional.of(known));
  }
}
