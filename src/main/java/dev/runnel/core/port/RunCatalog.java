package dev.runnel.core.port;

import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunState;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All runs of the run service, also those that Runnel did not start, newest first and page by
/// page.
public interface RunCatalog {
  /// Never throws for a failure of the service: the result says so.
  Result find(Query query);

  /// What to look for; all of it must apply.
  ///
  /// @param words words of title, prompt or skill, or a run's id; empty for all
  /// @param states empty for all
  /// @param source the service's name of what started the run: `SLACK`, `API`
  /// @param creator the id of the person that the service knows as its creator
  /// @param cursor where an earlier page ended
  /// @param limit maximum number of runs, 1 to 100
  record Query(
      String words,
      Set<RunState> states,
      Optional<String> source,
      Optional<String> creator,
      Optional<String> environment,
      Optional<String> model,
      Optional<String> cursor,
      int limit) {
    public Query {
      states = Set.copyOf(states);
    }
  }

  /// A run with what only lists say of it.
  ///
  /// @param createdAt empty where the service does not say it
  /// @param creator the display name of the person; empty if unknown
  /// @param creatorId by which [Query#creator] finds it; empty if unknown
  /// @param source as in [Query#source]
  /// @param agent the program or the named agent that works on it
  /// @param origin the message or issue that it comes from
  record Entry(
      Run run,
      Optional<Instant> createdAt,
      String creator,
      String creatorId,
      String source,
      String agent,
      Optional<URI> origin) {}

  sealed interface Result {
    /// @param next the cursor of the next page; empty on the last one
    record Listed(List<Entry> entries, Optional<String> next) implements Result {
      public Listed {
        entries = List.copyOf(entries);
      }
    }

    /// The service cannot list them now, or not by such a query.
    ///
    /// @param why one sentence for people
    record Unavailable(String why) implements Result {}
  }
}
