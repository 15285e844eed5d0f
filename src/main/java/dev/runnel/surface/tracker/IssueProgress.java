package dev.runnel.surface.tracker;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Json;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves an issue as its run progresses, into the states or by the transitions that the settings
/// name. Optional: if the issue has no such state or transition now, nothing happens. Thread-safe.
///
/// @param <I> the key of an issue
public final class IssueProgress<I> {
  private static final Logger log = LoggerFactory.getLogger(IssueProgress.class);
  private static final int MAX_REMEMBERED = 1_000;

  private final Map<IssueStage, String> names;
  private final Function<I, ApiResult> moves;
  private final BiFunction<I, String, ApiResult> move;
  // Avoids calls that would change nothing.
  private final Map<I, IssueStage> last = BoundedCaches.map(MAX_REMEMBERED);

  /// @param names the names of the moves in the settings
  /// @param moves lists those that are possible now, each with its `id` and its `name`, or the name
  ///   of the state that it leads `to`
  /// @param move makes a move, by its id
  public IssueProgress(
      Map<IssueStage, String> names,
      Function<I, ApiResult> moves,
      BiFunction<I, String, ApiResult> move) {
    this.names = names;
    this.moves = moves;
    this.move = move;
  }

  public void show(I issue, RunState run) {
    var stage = IssueStage.of(run);
    var name = stage.flatMap(each -> Optional.ofNullable(names.get(each)));
    if (stage.isEmpty() || name.isEmpty() || last.put(issue, stage.get()) == stage.get()) {
      return;
    }
    if (!(moves.apply(issue) instanceof ApiResult.Done(var possible))) {
      last.remove(issue);
      return;
    }
    var id =
        possible
            .valueStream()
            .filter(each -> isNamed(each, name.get()))
            .flatMap(each -> Json.text(each, "id").stream())
            .findFirst();
    if (id.isEmpty()) {
      log.debug("state or transition not available issue={} stage={}", issue, stage.get());
    } else if (!(move.apply(issue, id.get()) instanceof ApiResult.Done)) {
      last.remove(issue);
    }
  }

  private static boolean isNamed(JsonNode move, String name) {
    return Stream.of(move, move.path("to"))
        .flatMap(each -> Json.text(each, "name").stream())
        .anyMatch(name::equalsIgnoreCase);
  }
}
