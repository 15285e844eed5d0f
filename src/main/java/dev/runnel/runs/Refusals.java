package dev.runnel.runs;

import dev.runnel.client.RunsException;
import dev.runnel.core.model.Outcome;
import java.net.URI;
import java.util.Optional;

/// The run service's refusals in plain words: what is the matter, and what to do. Made from the
/// code alone; only where the code says nothing does the service's own title speak.
final class Refusals {
  private static final int LONGEST_TITLE = 200;

  private Refusals() {}

  static Outcome.Refused of(RunsException failure) {
    var code = code(failure);
    return new Outcome.Refused(code, sentence(code, failure), link(failure));
  }

  /// The service's code, or what its status stands for.
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

  private static String sentence(String code, RunsException failure) {
    return switch (code) {
      case "invalid_request" ->
          says("The run service did not accept this", failure)
              + " Check the options you gave, and try again.";
      case "integration_not_configured" ->
          "An integration that this run needs is not set up yet. Set it up, and try again.";
      case "authentication_required" ->
          "The run service does not accept Runnel's key. Ask whoever looks after Runnel to renew"
              + " it.";
      case "external_authentication_required" ->
          "The run service may not use an account that this run needs. Link the account, or let it"
              + " see the repository, and try again.";
      case "not_authorized" ->
          "Runnel's key does not permit this at the run service. Ask whoever looks after Runnel.";
      case "insufficient_credits" ->
          "There are no credits left at the run service. Add some, and try again.";
      case "budget_exceeded" ->
          "The spending limit at the run service is reached. Raise it, or try again when it starts"
              + " anew.";
      case "feature_not_available" ->
          "The run service's plan does not include what this needs. Leave that option out, or ask"
              + " whoever looks after the plan.";
      case "integration_disabled" ->
          "An integration that this run needs is switched off. Switch it on, and try again.";
      case "content_policy_violation" ->
          "The run service refuses this because of its content policy. Say it differently, and try"
              + " again.";
      case "resource_not_found" ->
          "The run service does not know something that you named. Check the environment, the model"
              + " and the skill, and try again.";
      case "conflict" ->
          "The run cannot take this in its present state. Look at it, and try again.";
      case "gone" -> "The run's session is over, and it cannot be continued. Start a new one.";
      case "operation_not_supported" ->
          "The run service does not support this for this kind of run. Open the run to do it"
              + " there.";
      case "environment_setup_failed" ->
          says("The environment could not be set up", failure)
              + " Correct its setup, and try again.";
      case "infrastructure_timeout" ->
          "The run took longer than the run service permits. Ask for less at once, and try again.";
      case "agent_process_failed" -> "The agent broke down after it had started. Try again.";
      case "resource_unavailable", "internal_error" ->
          "The run service cannot do this now. Try again later.";
      default ->
          says("The run service refused this", failure)
              + " Ask whoever looks after Runnel if you do not know why.";
    };
  }

  /// `The run service did not accept this: the environment does not exist.`
  private static String says(String sentence, RunsException failure) {
    return sentence
        + failure
            .title()
            .map(title -> title.replaceAll("[\\s\\p{Cntrl}]+", " ").strip())
            .filter(title -> !title.isEmpty())
            .map(title -> ": " + shortened(title) + (title.matches(".*[.!?]") ? "" : "."))
            .orElse(".");
  }

  private static String shortened(String title) {
    return title.length() > LONGEST_TITLE ? title.substring(0, LONGEST_TITLE) + "…" : title;
  }

  private static Optional<URI> link(RunsException failure) {
    return failure
        .problem()
        .flatMap(
            problem ->
                RunItems.link(problem.authUrl()).or(() -> RunItems.link(problem.setupUrl())));
  }
}
