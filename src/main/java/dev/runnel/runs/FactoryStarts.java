package dev.runnel.runs;

import dev.runnel.client.RequestOptions;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.DispatchedRun;
import dev.runnel.wire.Factory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/// Dispatches starts to a factory, which has its own environment and model. A dispatch carries no
/// metadata; its ticket id is the delivery id, by which the run can be found.
record FactoryStarts(RunsClient client) {
  static final String TICKET_ID = "ticket_id";

  private static final String TICKETS = "runnel";
  private static final int MAX_SEARCHED = 100;

  /// @param factory uid, name or alias of the factory
  /// @return empty if there is no such factory
  /// @throws RunsException if the service refuses or cannot be reached
  Optional<DispatchedRun> dispatch(
      String factory, Prompt prompt, DeliveryId key, UnaryOperator<RequestOptions> options) {
    var work = work(prompt, key);
    try {
      return Optional.of(client.factories().dispatch(factory, work).withOptions(options).send());
    } catch (RunsException.NotFound notAnUid) {
      return named(factory)
          .map(uid -> client.factories().dispatch(uid, work).withOptions(options).send());
    }
  }

  static Outcome unknown(String factory) {
    return new Outcome.Refused(
        "factory_not_found",
        "There is no factory `%s`. Check its name, or leave `--factory` out."
            .formatted(factory.replace("`", "")),
        Optional.empty());
  }

  /// The ticket id of a run that Runnel dispatched to a factory.
  static Optional<String> ticket(Map<String, String> metadata) {
    return TICKETS.equals(metadata.get("ticket_source"))
        ? Optional.ofNullable(metadata.get(TICKET_ID))
        : Optional.empty();
  }

  private static DispatchRun work(Prompt prompt, DeliveryId key) {
    var work = DispatchRun.builder().prompt(prompt.text()).ticketRef(TICKETS + ":" + key.value());
    if (!prompt.title().isBlank()) {
      work.title(prompt.title());
    }
    Optional.ofNullable(prompt.metadata().get("runnel.link")).ifPresent(work::ticketUrl);
    return work.build();
  }

  private Optional<String> named(String name) {
    List<Factory> found;
    try {
      found =
          client
              .factories()
              .search(name)
              .items()
              .limit(MAX_SEARCHED)
              .filter(it -> name.equalsIgnoreCase(it.name()) || name.equalsIgnoreCase(it.alias()))
              .toList();
    } catch (RunsException.NotFound noFactories) {
      return Optional.empty();
    }
    // An ambiguous name matches no factory.
    return found.size() == 1 ? Optional.of(found.getFirst().uid()) : Optional.empty();
  }
}
