package dev.runnel.app.connect;

import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/// A step of connecting a platform. When it has been taken, its name is among the known values.
sealed interface Step {
  /// Shows instructions for a person.
  record Instruct(String name, List<String> lines) implements Step {
    public Instruct {
      lines = List.copyOf(lines);
    }
  }

  /// Asks for a value.
  ///
  /// @param name the name of the fact: the variable of a setting, or a word
  /// @param defaultValue the value of an empty answer; blank for none
  /// @param form the format of values
  /// @param hint the message about a value in another format
  record Ask(
      String name, String question, Kind kind, String defaultValue, Pattern form, String hint)
      implements Step {
    enum Kind {
      PLAIN,
      /// Typed without an echo.
      SECRET,
      /// May be left out.
      OPTIONAL
    }
  }

  /// Adds facts without asking.
  record AddFacts(Map<String, String> facts) implements Step {
    public AddFacts {
      facts = Map.copyOf(facts);
    }
  }

  /// Checks a part of the connection.
  ///
  /// @param what the name of the part, for people
  /// @param inputs the facts that are asked for again if the check fails
  /// @param probe calls the platform or Runnel
  record Check(
      String name, String what, List<String> inputs, BiFunction<Facts, Network, CheckResult> probe)
      implements Step {
    public Check {
      inputs = List.copyOf(inputs);
    }
  }

  /// Saves settings, which the next start of Runnel uses.
  record Save(String name, List<String> variables) implements Step {
    public Save {
      variables = List.copyOf(variables);
    }
  }

  /// Saves whether agents work in a clone of a repository. The name of the environment becomes the
  /// fact; blank for none.
  ///
  /// @param repository `acme/shop`, as the platform spells it
  /// @param clones whether agents work in a clone
  /// @param push whether they may push to the repository
  record SaveClone(String name, String repository, boolean clones, boolean push) implements Step {}

  record Finished(List<String> lines) implements Step {
    public Finished {
      lines = List.copyOf(lines);
    }
  }

  sealed interface CheckResult {
    /// @param learned new facts
    record Passed(String text, Map<String, String> learned) implements CheckResult {
      public Passed {
        learned = Map.copyOf(learned);
      }

      Passed(String text) {
        this(text, Map.of());
      }
    }

    /// @param why what is wrong
    /// @param remedy what to do about it
    record Failed(String why, String remedy) implements CheckResult {}

    /// The guide continues without this part. The fact of the check is blank.
    ///
    /// @param why what is wrong
    /// @param remedy what to do about it
    record Skipped(String why, String remedy) implements CheckResult {}
  }
}
