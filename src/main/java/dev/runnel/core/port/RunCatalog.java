package dev.runnel.core.port;

import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/// All runs of the run service, also those that Runnel did not start, newest first and page by
/// page.
public interface RunCatalog {
  /// Never throws for a failure of the service, which is a [Result.Unavailable].
  Result find(Query query);

  /// Details of one run beyond its state; empty if the service cannot report them now.
  default Optional<Details> details(RunId run) {
    return Optional.empty();
  }

  /// A URL that serves the content of a file of a run for a while without a key; empty if the file
  /// is gone. Whoever has the URL can read the file.
  ///
  /// @param file as in [File#id()]
  default Optional<URI> fileLink(String file) {
    return Optional.empty();
  }

  /// @param parent the run that started this one
  /// @param children runs that it started, newest first; at most 100
  record Details(
      Entry entry,
      Optional<Instant> startedAt,
      Optional<Instant> finishedAt,
      Optional<RunId> parent,
      List<Execution> executions,
      List<Entry> children,
      List<File> files) {
    public Details {
      executions = List.copyOf(executions);
      children = List.copyOf(children);
      files = List.copyOf(files);
    }
  }

  /// One execution of a run: from its prompt or a follow-up to its end.
  ///
  /// @param number 1-based
  /// @param claimedAt when it got a slot
  /// @param startedAt when the agent started
  /// @param end the state at its end; empty while it goes on
  record Execution(
      long number,
      Optional<Instant> claimedAt,
      Optional<Instant> startedAt,
      Optional<Instant> endedAt,
      Optional<RunState> end) {}

  /// A file that a run left for people.
  ///
  /// @param bytes -1 if unknown
  record File(String id, String name, boolean isImage, long bytes) {}

  /// A filter and a page; all conditions must match.
  ///
  /// @param words words of title, prompt or skill, or a run's id; empty for all
  /// @param states empty for all
  /// @param source the service's name of what started the run: `SLACK`, `API`
  /// @param creator the id of the person that the service knows as its creator
  /// @param places one of these channels or repositories: `slack:T1/C1`, `github:acme/shop`; empty
  ///   for all
  /// @param conversations one of these threads or issues: `github:acme/shop#12`; empty for all
  /// @param cursor where an earlier page ended
  /// @param limit maximum number of runs, 1 to 100
  record Query(
      String words,
      Set<RunState> states,
      Optional<String> source,
      Optional<String> creator,
      Optional<String> environment,
      Optional<String> model,
      Set<String> places,
      Set<String> conversations,
      Optional<String> cursor,
      int limit) {
    public Query {
      places = Set.copyOf(places);
      conversations = Set.copyOf(conversations);
      states = Set.copyOf(states);
    }
  }

  /// A run with the data that only lists contain.
  ///
  /// @param createdAt empty if unknown
  /// @param creator the display name of the person; empty if unknown
  /// @param creatorId by which [Query#creator] finds it; empty if unknown
  /// @param source as in [Query#source]
  /// @param agent the program or the named agent that works on it
  /// @param origin the message or issue that requested it
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

    /// The service cannot list runs now, or does not support such a query.
    ///
    /// @param why one sentence for people
    record Unavailable(String why) implements Result {}
  }
}
