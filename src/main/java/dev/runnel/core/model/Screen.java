package dev.runnel.core.model;

import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.RunId;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// A page or form, for surfaces that show more than messages. The surface decides the layout.
public sealed interface Screen {
  /// A form for a request to the agent.
  ///
  /// @param thread the thread to post the request in; empty where the form asks for a place
  /// @param run the run that gets the request; empty where the request starts one
  /// @param about the text of the message that the request is about; often empty
  /// @param fields the defaults in force; empty where the request goes to a run
  /// @param answers the question of the run that the form answers
  record Ask(
      Optional<Conversation> thread,
      Optional<RunId> run,
      String about,
      List<Field> fields,
      Optional<AskedQuestion> answers)
      implements Screen {
    public Ask {
      fields = List.copyOf(fields);
      // Rows of an older version have none.
      answers = Objects.requireNonNullElse(answers, Optional.empty());
    }

    public Ask(
        Optional<Conversation> thread, Optional<RunId> run, String about, List<Field> fields) {
      this(thread, run, about, fields, Optional.empty());
    }
  }

  /// A form to change the defaults of a person, a place or the workspace.
  record Preferences(Level level, List<Field> fields) implements Screen {
    public Preferences {
      fields = List.copyOf(fields);
    }
  }

  /// A person's runs, the newest first.
  ///
  /// @param blocked those that wait for an answer
  /// @param running those that are queued or running
  /// @param recent those that ended
  /// @param more number of runs not shown
  /// @param defaults the defaults for new runs
  /// @param changeable the levels whose defaults the person may change
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

  /// A default in a form or on a page.
  ///
  /// @param key as in `config`: `model`
  /// @param name for people
  /// @param value the form field's initial value
  /// @param holds the value in force now
  /// @param from where the value in force comes from, in words
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
