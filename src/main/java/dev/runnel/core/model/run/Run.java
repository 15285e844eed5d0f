package dev.runnel.core.model.run;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.ListCopies;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigDecimal;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A run as last read from the run service.
///
/// @param stateName the service's own name of the state
/// @param message the service's status message: progress, a question, the answer, or the reason for
///   a failure
/// @param retryable whether, according to the service, a new run may succeed
/// @param isOverBudget whether it failed because a limit of cost is reached; its message says what
///   can be done
/// @param updatedAt by the service's clock; empty before the first read
/// @param delivery the `runnel.delivery` metadata it was started with
/// @param environment where the agent works, as the service names it, possibly by a generated id
/// @param model the language model in use
/// @param replies replies that no agent has received; empty where the service does not report them
/// @param files the files that the agent handed over, in the order of their names
/// @param evidence what the service observed of its last execution; empty while the agent works,
///   and where the service does not report it
/// @param parent the run that started it
@RecordBuilder
public record Run(
    RunId id,
    String title,
    RunState state,
    String stateName,
    Optional<String> message,
    boolean retryable,
    boolean isOverBudget,
    Optional<URI> session,
    List<Artifact> artifacts,
    Optional<String> cost,
    Optional<Duration> runTime,
    Optional<Instant> updatedAt,
    Optional<DeliveryId> delivery,
    Optional<String> environment,
    Optional<String> model,
    Optional<Replies> replies,
    List<RunFile> files,
    Optional<Evidence> evidence,
    Optional<RunId> parent)
    implements RunBuilder.With {
  private static final Pattern GENERATED_ID =
      Pattern.compile("[A-Za-z0-9]{22}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");
  private static final Pattern MONEY = Pattern.compile("\\d{1,9}\\.\\d{1,6}");

  /// A run that is known only by its id.
  public static Run unseen(RunId id) {
    return new Run(
        id,
        "",
        RunState.UNKNOWN,
        RunState.UNKNOWN.name(),
        Optional.empty(),
        false,
        false,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  /// The environment, unless its name is a generated id, which is meaningless to people.
  public Optional<String> environmentName() {
    return environment.filter(name -> !GENERATED_ID.matcher(name).matches());
  }

  /// How long it took, for people: after its end how long its agents worked, if the service says
  /// so, else the time since its request.
  public Duration elapsed(Instant since, Instant now) {
    return runTime.filter(_ -> state.isTerminal()).orElseGet(() -> Duration.between(since, now));
  }

  /// The cost in millionths, from its text `$0.42`; 0 if it is unknown.
  public long costMicros() {
    return cost.map(MONEY::matcher)
        .filter(Matcher::find)
        .map(found -> new BigDecimal(found.group()).movePointRight(6).longValue())
        .orElse(0L);
  }

  public Run {
    artifacts = List.copyOf(artifacts);
    // Rows of an older version have none.
    replies = Objects.requireNonNullElse(replies, Optional.empty());
    files = ListCopies.of(files);
    evidence = Objects.requireNonNullElse(evidence, Optional.empty());
    parent = Objects.requireNonNullElse(parent, Optional.empty());
  }
}
