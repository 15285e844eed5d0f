package dev.runnel.core.decide;

import dev.runnel.core.model.ApiRuns;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store.Work;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// Resolves an intent in its conversation: an abbreviated id becomes the id of a run, and a text
/// that resembles a command goes to the agent if there is one.
public record IntentResolver(RunAccessPolicy runAccessPolicy) {
  private static final Pattern ABBREVIATED = Pattern.compile("[0-9a-fA-F-]{4,35}");
  private static final int MAX_FOUND = 20;
  private static final int MAX_LISTED = 5;
  private static final int MIN_SHOWN = 8;
  private static final int ID_LENGTH = 36;

  /// Whether it may be an abbreviated id.
  public static boolean isAbbreviated(RunId id) {
    return ABBREVIATED.matcher(id.value()).matches();
  }

  /// The delivery with the resolved intent; unchanged if it cannot be resolved.
  public Delivery resolved(Work work, Delivery delivery) {
    return delivery.withIntent(
        switch (delivery.intent()) {
          case Intent.Unclear unclear -> unclear(work, delivery, unclear);
          case Intent.RunCommand command -> run(work, delivery, command.run(), command::about);
          case Intent.SayTo(var run, var request, var answers) ->
              run(work, delivery, Optional.of(run), id -> new Intent.SayTo(id, request, answers));
          case Intent.Link(var run) -> run(work, delivery, Optional.of(run), Intent.Link::new);
          case Intent.Ask(Question.Decide(var approval, var approved)) when approval.isEmpty() ->
              decision(work, delivery, approved);
          case Intent.ForAgent _,
              Intent.GeneralCommand _,
              Intent.PlatformEvent _,
              Intent.Linked _,
              Intent.Help _ ->
              delivery.intent();
        });
  }

  /// In a thread with a run, the text is for its agent.
  public static Intent unclear(Work work, Delivery delivery, Intent.Unclear unclear) {
    return unclear
        .work()
        .filter(_ -> RunSubscribers.runOf(work, delivery).isPresent())
        .<Intent>map(Intent.Say::new)
        .orElse(unclear);
  }

  /// If nothing waits for approval, the word is for the agent.
  private static Intent decision(Work work, Delivery delivery, boolean approved) {
    var here = Optional.of(delivery.conversation());
    return work.approvals().waiting(here).isEmpty()
            && (!delivery.addressed() || work.bindings().of(delivery.conversation()).isPresent())
        ? new Intent.Say(Request.of(approved ? "approve" : "decline"))
        : delivery.intent();
  }

  /// Resolves an abbreviated id. Runs that the person may not name are not considered.
  private Intent run(
      Work work, Delivery delivery, Optional<RunId> named, Function<RunId, Intent> aboutTheRun) {
    var abbreviated =
        named
            .filter(IntentResolver::isAbbreviated)
            // The page of a run names it in full.
            .filter(id -> !delivery.conversation().equals(ApiRuns.conversation(id)))
            .filter(id -> work.bindings().of(id).isEmpty());
    if (abbreviated.isEmpty()) {
      return delivery.intent();
    }
    var begin = abbreviated.get().value().toLowerCase(Locale.ROOT);
    var found =
        work.bindings().startingWith(begin, MAX_FOUND).stream()
            .filter(binding -> runAccessPolicy.mayName(delivery, binding))
            .map(binding -> binding.run().id())
            .toList();
    return switch (found.size()) {
      case 0 -> delivery.intent();
      case 1 -> aboutTheRun.apply(found.getFirst());
      default -> ambiguous(begin, found);
    };
  }

  /// The minimum length at which the ids differ.
  private static int distinctLength(List<RunId> ids) {
    return IntStream.range(MIN_SHOWN, ID_LENGTH)
        .filter(length -> ids.stream().map(id -> cut(id, length)).distinct().count() == ids.size())
        .findFirst()
        .orElse(ID_LENGTH);
  }

  private static String cut(RunId id, int length) {
    return id.value().substring(0, Math.min(length, id.value().length()));
  }

  private static Intent ambiguous(String abbreviated, List<RunId> found) {
    var length = distinctLength(found);
    return new Intent.Unclear(
        "Several runs begin with `%s`: %s. Write more of the id."
            .formatted(
                abbreviated,
                found.stream()
                    .limit(MAX_LISTED)
                    .map(id -> "`" + cut(id, length) + "`")
                    .collect(Collectors.joining(", "))));
  }
}
