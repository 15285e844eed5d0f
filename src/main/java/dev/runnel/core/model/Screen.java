package dev.runnel.core.model;

import dev.runnel.core.model.Question.Configure.Level;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// What a person looks at or fills in, where a surface shows more than messages. How it looks is
/// the surface's affair.
public sealed interface Screen {
  /// A form to ask the agent with.
  ///
  /// @param thread where the words will be said; empty where the form asks for a place
  /// @param run the run that they will go to; empty where they start one
  /// @param about the message that they are about, in its own words; often empty
  /// @param fields what holds where nothing else is said; empty where the words go to a run
  record Ask(Optional<Conversation> thread, Optional<RunId> run, String about, List<Field> fields)
      implements Screen {
    public Ask {
      fields = List.copyOf(fields);
    }
  }

  /// A form to change the defaults with that are set for a person, a place or the workspace.
  record Preferences(Level level, List<Field> fields) implements Screen {
    public Preferences {
      fields = List.copyOf(fields);
    }
  }

  /// A person's runs, the newest first.
  ///
  /// @param blocked those that wait for an answer
  /// @param running those that go on by themselves, or will
  /// @param recent those that ended
  /// @param more how many do not fit
  /// @param defaults what holds for new ones
  /// @param changeable whose defaults the person may change
  record Home(
      List<Binding> blocked,
      List<Binding> running,
      List<Binding> recent,
      int more,
      List<Field> defaults,
      List<Level> changeable,
      Instant at)
      implements Screen {
    public Home {
      blocked = List.copyOf(blocked);
      running = List.copyOf(running);
      recent = List.copyOf(recent);
      defaults = List.copyOf(defaults);
      changeable = List.copyOf(changeable);
    }

    public boolean isEmpty() {
      return blocked.isEmpty() && running.isEmpty() && recent.isEmpty();
    }
  }

  /// A default.
  ///
  /// @param key as in `config`: `model`
  /// @param name for people
  /// @param value what stands in the form at first
  /// @param holds what is in force now
  /// @param from where that comes from, in words
  /// @param choices the only values there are; empty where any may be typed
  record Field(
      String key,
      String name,
      Optional<String> value,
      Optional<String> holds,
      String from,
      List<String> choices) {
    public Field {
      choices = List.copyOf(choices);
    }
  }
}
