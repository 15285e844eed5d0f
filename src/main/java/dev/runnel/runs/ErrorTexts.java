package dev.runnel.runs;

import dev.runnel.client.RunsException;
import dev.runnel.core.model.run.Outcome;
import java.net.URI;
import java.util.Optional;

/// Texts for people about errors of the run service: what is wrong, and what to do. The text
/// depends on the error code; the service's own text is added if the code alone is too vague and
/// that text is meant for people.
final class ErrorTexts {
  private static final int MAX_TITLE = 200;

  private ErrorTexts() {}

  /// @param problem a sentence without full stop, to which a reason can be appended
  /// @param remedy what the person can do about it
  /// @param takesReason whether to append the service's own text
  private record ErrorText(String problem, String remedy, boolean takesReason) {
    static ErrorText of(String problem, String remedy) {
      return new ErrorText(problem, remedy, false);
    }

    static ErrorText withReason(String problem, String remedy) {
      return new ErrorText(problem, remedy, true);
    }

    /// `The run service did not accept this: the environment does not exist. Check the options.`
    String format(Optional<String> reason) {
      return because(reason) + " " + remedy;
    }

    private String because(Optional<String> reason) {
      return reason
          .filter(_ -> takesReason)
          .flatMap(InternalTextFilter::oneLine)
          .map(it -> problem + ": " + shortened(it) + (it.matches("^.*[.!?…]") ? "" : "."))
          .orElse(problem + ".");
    }
  }

  static Outcome.Refused of(RunsException failure) {
    var code = code(failure);
    return new Outcome.Refused(code, text(code).format(reason(failure)), link(failure));
  }

  /// The detail names what the title only summarizes.
  private static Optional<String> reason(RunsException failure) {
    return failure.detail().flatMap(InternalTextFilter::oneLine).or(failure::title);
  }

  /// Why a run failed. The agent's own message is not changed.
  ///
  /// @param code the service's error code; empty if it gave none
  static Optional<String> failed(String code, Optional<String> message) {
    var text = message.filter(it -> !it.isBlank());
    if (code.equals("agent_process_failed") && text.isPresent()) {
      return text;
    }
    var plain = text.filter(InternalTextFilter::isForPeople);
    return switch (code) {
      case "" -> plain.or(() -> text.map(_ -> "The run service gave no reason."));
      case "internal_error",
          "resource_unavailable",
          "infrastructure_timeout",
          "agent_process_failed",
          "agent_stream_network_error",
          "agent_stream_failure" ->
          plain.or(() -> Optional.of(text(code).format(Optional.empty())));
      default -> Optional.of(text(code).format(plain));
    };
  }

  /// The service's error code, or the one that corresponds to the status.
  private static String code(RunsException failure) {
    if (!failure.code().value().isEmpty()) {
      return failure.code().value();
    }
    return switch (failure.status().orElse(0)) {
      case 400 -> "invalid_request";
      case 401 -> "authentication_required";
      case 403 -> "not_authorized";
      case 404 -> "resource_not_found";
      case 409 -> "conflict";
      case 410 -> "gone";
      case 422 -> "operation_not_supported";
      default -> "unknown";
    };
  }

  private static ErrorText text(String code) {
    return switch (code) {
      case "invalid_request" ->
          ErrorText.withReason(
              "The run service did not accept this", "Check your options, and try again.");
      case "integration_not_configured" ->
          ErrorText.of(
              "An integration that this run needs is not set up yet", "Set it up, and try again.");
      case "authentication_required" ->
          ErrorText.of(
              "The run service does not accept Runnel's key", "Ask your Runnel admin to renew it.");
      case "external_authentication_required" ->
          ErrorText.of(
              "The run service may not use an account that this run needs",
              "Link the account, or let it see the repository, and try again.");
      case "not_authorized" ->
          ErrorText.of(
              "Runnel's key does not permit this at the run service", "Ask your Runnel admin.");
      case "insufficient_credits" ->
          ErrorText.of("There are no credits left at the run service", "Add some, and try again.");
      case "budget_exceeded" ->
          ErrorText.of(
              "The spending limit at the run service is reached",
              "Raise it, or try again when the period resets.");
      case "feature_not_available" ->
          ErrorText.withReason(
              "The plan or the settings of the run service do not permit this",
              "Leave out what is not permitted, or ask your Runnel admin.");
      case "integration_disabled" ->
          ErrorText.of(
              "An integration that this run needs is switched off", "Switch it on, and try again.");
      case "content_policy_violation" ->
          ErrorText.of(
              "The run service refuses this because of its content policy",
              "Rephrase it, and try again.");
      case "resource_not_found" ->
          ErrorText.of(
              "The run service does not know something that you named",
              "Check the environment, the model and the skill, and try again.");
      case "conflict" ->
          ErrorText.of(
              "The run cannot accept this in its current state", "Check the run, and try again.");
      case "gone" ->
          ErrorText.of("The run's session is over, and it cannot be continued", "Start a new one.");
      case "operation_not_supported" ->
          ErrorText.of(
              "The run service does not support this for this kind of run",
              "Open the run to do it there.");
      case "environment_setup_failed" ->
          ErrorText.withReason(
              "The environment could not be set up", "Correct its setup, and try again.");
      case "infrastructure_timeout" ->
          ErrorText.of(
              "The run took longer than the run service permits",
              "Ask for less at once, and try again.");
      case "agent_process_failed" -> ErrorText.of("The agent crashed after starting", "Try again.");
      case "agent_stream_network_error" ->
          ErrorText.of("The connection to the model was lost", "Try again.");
      case "agent_stream_failure" ->
          ErrorText.of("The model stopped answering", "Try again, or with another model.");
      case "resource_unavailable" ->
          ErrorText.of("The run service has no capacity for this now", "Try again later.");
      case "internal_error" ->
          ErrorText.of("Something broke inside the run service", "Try again later.");
      default ->
          ErrorText.withReason(
              "The run service refused this", "Ask your Runnel admin if you do not know why.");
    };
  }

  private static String shortened(String title) {
    return title.length() > MAX_TITLE ? title.substring(0, MAX_TITLE) + "…" : title;
  }

  /// A page where the person can fix the problem.
  private static Optional<URI> link(RunsException failure) {
    return failure
        .problem()
        .flatMap(
            problem ->
                RunItems.link(problem.authUrl()).or(() -> RunItems.link(problem.setupUrl())));
  }
}
