package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import java.net.URI;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Questions and settings that Runnel handles without an agent.
public sealed interface Question {
  /// The defaults in force for the sender in this place, and where each comes from.
  record Config() implements Question {}

  /// Sets or unsets a default.
  ///
  /// @param key as in `config`: `model`
  /// @param value empty to unset it
  record Configure(String key, Optional<String> value, Level level) implements Question {
    public enum Level {
      ME,
      HERE,
      WORKSPACE
    }
  }

  /// Several changes, applied atomically.
  record ConfigureAll(List<Configure> changes) implements Question {
    public ConfigureAll {
      changes = List.copyOf(changes);
    }
  }

  /// The person's own runs, for their home page.
  record Home() implements Question {}

  /// A form for a request to the agent.
  ///
  /// @param thread the thread to post the request in; empty where the form asks for a place
  /// @param about the text of the message that the request is about; may be empty
  /// @param answers the question that the form answers; empty where it asks for a request
  record Compose(Optional<Conversation> thread, String about, Optional<AskedQuestion> answers)
      implements Question {
    public Compose {
      // Rows of an older version have none.
      answers = Objects.requireNonNullElse(answers, Optional.empty());
    }

    public Compose(Optional<Conversation> thread, String about) {
      this(thread, about, Optional.empty());
    }
  }

  /// A form to change the defaults of a level.
  record Edit(Configure.Level level) implements Question {}

  /// What Runnel would do with a request, without doing it.
  record Explain(Request request) implements Question {}

  /// What happened to a message.
  record Why(URI link) implements Question {}

  record Usage() implements Question {}

  record WhoAmI() implements Question {}

  record Doctor() implements Question {}

  /// Approves or declines a start that waits for it.
  ///
  /// @param approval the first characters of its id; the one of the conversation if empty
  record Decide(Optional<String> approval, boolean approved) implements Question {}

  /// Which messages in this thread go to the agent from now on, overriding the surface's settings.
  ///
  /// @param all all messages; else only those that mention Runnel
  record Listen(boolean all) implements Question {}

  /// Whether a request in this conversation goes to the run that works on the same issue elsewhere.
  ///
  /// @param joins false to start another run
  record Join(boolean joins) implements Question {}

  /// Makes a schedule in this conversation.
  ///
  /// @param zone the time zone given in the command
  /// @param request empty to repeat that of the thread's run
  record Schedule(Timing timing, Optional<ZoneId> zone, Optional<Request> request)
      implements Question {}

  /// The schedules of this place.
  record Schedules() implements Question {}

  /// Changes a schedule of this place.
  ///
  /// @param id its first characters
  record ChangeSchedule(String id, Change change) implements Question {
    public enum Change {
      PAUSE,
      RESUME,
      DELETE
    }
  }

  /// Blocks all starts, or allows them again.
  ///
  /// @param reason shown to everybody whose start is refused
  record Freeze(boolean on, Optional<String> reason) implements Question {}
}
