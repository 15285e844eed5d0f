package dev.runnel.app.connect;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/// A step on the way to a connected platform. When it was taken, its name is among the facts.
sealed interface Step {
  /// Shows what a person has to do elsewhere.
  record Tell(String name, List<String> lines) implements Step {
    public Tell {
      lines = List.copyOf(lines);
    }
  }

  /// Asks for a value.
  ///
  /// @param name the fact, which is the variable of a setting, or a word
  /// @param usual the value of an empty answer; if it is blank, too, the answer is left out
  /// @param form what values look like
  /// @param hint what to do about a value of another form
  record Ask(String name, String question, Kind kind, String usual, Pattern form, String hint)
      implements Step {
    enum Kind {
      PLAIN,
      /// Typed without an echo.
      SECRET,
      /// May be left out.
      OPTIONAL
    }
  }

  /// Knows something without asking.
  record Learn(Map<String, String> facts) implements Step {
    public Learn {
      facts = Map.copyOf(facts);
    }
  }

  /// Tries whether it works.
  ///
  /// @param what what is tried, for people
  /// @param doubted the facts that are asked for again if it does not work
  /// @param probe calls the platform or Runnel
  record Check(
      String name, String what, List<String> doubted, BiFunction<Facts, Network, Found> probe)
      implements Step {
    public Check {
      doubted = List.copyOf(doubted);
    }
  }

  /// Puts settings into force: the next start of Runnel uses them.
  record Save(String name, List<String> variables) implements Step {
    public Save {
      variables = List.copyOf(variables);
    }
  }

  record Finished(List<String> lines) implements Step {
    public Finished {
      lines = List.copyOf(lines);
    }
  }

  /// The result of a check.
  sealed interface Found {
    /// @param learned facts that the check found out
    record Works(String text, Map<String, String> learned) implements Found {
      public Works {
        learned = Map.copyOf(learned);
      }

      Works(String text) {
        this(text, Map.of());
      }
    }

    /// @param why what is wrong
    /// @param remedy what to do about it
    record Fails(String why, String remedy) implements Found {}
  }
}
