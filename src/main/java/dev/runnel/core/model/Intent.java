package dev.runnel.core.model;

import dev.runnel.core.model.conversation.ListCopies;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// What a message asks for, parsed without regard to the conversation's state.
public sealed interface Intent {
  /// A message for an agent.
  sealed interface ForAgent extends Intent {
    Request request();

    /// A copy with another request.
    ForAgent with(Request request);
  }

  /// A command about one run.
  sealed interface RunCommand extends Intent {
    /// The run; the conversation's own if empty.
    Optional<RunId> run();

    /// A copy about this run.
    RunCommand about(RunId run);
  }

  /// A command that is not about a single run.
  sealed interface GeneralCommand extends Intent {}

  /// An event on a platform. It is replaced by another intent, or ignored, once it is known which
  /// run it is about.
  sealed interface PlatformEvent extends Intent {}

  /// Start a run: a slash command, a label. If the conversation has an unfinished run, no second
  /// one starts.
  record Start(Request request) implements ForAgent {
    @Override
    public Start with(Request other) {
      return new Start(other);
    }
  }

  /// A message in the conversation: it steers the existing run, or starts one.
  record Say(Request request) implements ForAgent {
    @Override
    public Say with(Request other) {
      return new Say(other);
    }
  }

  /// Stop the run.
  ///
  /// @param why the action that implied the stop, where the person did not request it in words:
  ///   "removed the label"
  record Cancel(Optional<RunId> run, Optional<String> why) implements RunCommand {
    @Override
    public Cancel about(RunId other) {
      return new Cancel(Optional.of(other), why);
    }
  }

  record Status(Optional<RunId> run) implements RunCommand {
    @Override
    public Status about(RunId other) {
      return new Status(Optional.of(other));
    }
  }

  /// Start again with the request of the run that ended.
  record Retry(Optional<RunId> run) implements RunCommand {
    @Override
    public Retry about(RunId other) {
      return new Retry(Optional.of(other));
    }
  }

  /// List runs.
  ///
  /// @param scope empty for the place where it was asked
  /// @param states only runs in one of these states; all runs if empty
  record ListRuns(Optional<Scope> scope, List<RunState> states) implements GeneralCommand {
    public enum Scope {
      MINE,
      CHANNEL,
      ALL
    }

    public ListRuns {
      // Rows of an older version have no states.
      states = ListCopies.of(states);
    }

    public ListRuns() {
      this(Optional.empty(), List.of());
    }
  }

  /// @param verb the command to explain; empty for all
  record Help(Optional<String> verb) implements Intent {
    public Help() {
      this(Optional.empty());
    }
  }

  /// Start a second run in the thread, which becomes the thread's current one.
  record New(Request request) implements ForAgent {
    @Override
    public New with(Request other) {
      return new New(other);
    }
  }

  /// A message to a run of another conversation, or the answer to its question by a button or a
  /// form.
  ///
  /// @param answers the question that it answers: it is sent only if the run still asks that
  ///   question
  record SayTo(RunId run, Request request, Optional<AskedQuestion> answers) implements ForAgent {
    public SayTo {
      // Rows of an older version have none.
      answers = Objects.requireNonNullElse(answers, Optional.empty());
    }

    public SayTo(RunId run, Request request) {
      this(run, request, Optional.empty());
    }

    @Override
    public SayTo with(Request other) {
      return new SayTo(run, other, answers);
    }
  }

  /// Post about the run in this conversation from now on.
  record Link(RunId run) implements Intent {}

  /// A command about the target of a link: a message, an issue, a session.
  ///
  /// @param intent the command, without a run
  record Linked(URI link, Intent intent) implements Intent {}

  /// Stop all runs of the sender.
  record CancelMine() implements GeneralCommand {}

  /// A question that Runnel answers without an agent.
  record Ask(Question question) implements GeneralCommand {}

  /// An earlier message was edited or deleted.
  ///
  /// @param message the semantic key of the original message
  /// @param now the intent of the edited message; empty if it is no longer for Runnel
  record Amend(String message, Optional<Intent> now) implements PlatformEvent {}

  /// A pull request was opened, converted to a draft, merged or closed. The person who did it needs
  /// no permission at Runnel.
  ///
  /// @param at when, by the platform's clock
  /// @param then what it also means for a run of the pull request itself
  record PullRequestChanged(URI link, PullRequestState state, Instant at, Optional<Intent> then)
      implements PlatformEvent {}

  /// A pull request that a run opened needs work again, though nobody addressed Runnel: its checks
  /// failed, it has a conflict, or a reviewer wants changes.
  ///
  /// @param cause the deduplication key within the pull request: `checks:COMMIT`
  /// @param news for the thread of the run: `The checks of acme/shop#7 failed`
  /// @param request for the agent
  /// @param isFact whether only the permission of the run's requester matters
  /// @param branch the branch of the pull request, if the event does not name the pull request
  ///   itself: the link is then that of the repository
  record PullRequestNeeds(
      URI link, String cause, String news, String request, boolean isFact, Optional<String> branch)
      implements PlatformEvent {
    public PullRequestNeeds {
      // Rows of an older version have none.
      branch = Objects.requireNonNullElse(branch, Optional.empty());
    }

    public PullRequestNeeds(URI link, String cause, String news, String request, boolean isFact) {
      this(link, cause, news, request, isFact, Optional.empty());
    }
  }

  /// Stop the run that a message asked for or that a status post is about.
  record StopAt(PostRef post) implements PlatformEvent {}

  /// Not understood; the sender gets an explanation.
  ///
  /// @param work the text, if it may still be a request: in a thread with a run it goes to the
  ///   agent, elsewhere it starts a run only when the sender confirms
  record Unclear(String why, Optional<Request> work) implements Intent {
    public Unclear {
      // Rows of an older version have none.
      work = Objects.requireNonNullElse(work, Optional.empty());
    }

    public Unclear(String why) {
      this(why, Optional.empty());
    }
  }

  /// The request for the agent, if there is one.
  default Optional<Request> agentRequest() {
    return this instanceof ForAgent message ? Optional.of(message.request()) : Optional.empty();
  }

  /// The run that it names, if it names one.
  default Optional<RunId> namedRun() {
    return switch (this) {
      case RunCommand command -> command.run();
      case SayTo(var run, _, _) -> Optional.of(run);
      case Link(var run) -> Optional.of(run);
      case ForAgent _, GeneralCommand _, PlatformEvent _, Help _, Linked _, Unclear _ ->
          Optional.empty();
    };
  }

  /// The question that it answers by a button or a form.
  default Optional<AskedQuestion> answeredQuestion() {
    return this instanceof SayTo(_, _, var answers) ? answers : Optional.empty();
  }

  /// Whether it is processed before queued deliveries: a stop, or a read-only question.
  default boolean overtakes() {
    return switch (this) {
      case Cancel _, Status _, Help _, GeneralCommand _ -> true;
      // A message that may be for the agent keeps its place in the queue.
      case Unclear(_, var work) -> work.isEmpty();
      case Amend _, StopAt _ -> true;
      case PullRequestNeeds _ -> false;
      case PullRequestChanged(_, _, _, var then) -> then.map(Intent::overtakes).orElse(true);
      case Linked(_, var intent) -> intent.overtakes();
      case ForAgent _, Retry _, Link _ -> false;
    };
  }
}
