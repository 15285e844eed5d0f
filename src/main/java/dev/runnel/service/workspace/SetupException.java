package dev.runnel.service.workspace;

/// A workspace cannot be prepared; the message gives the reason, for people.
final class SetupException extends Exception {
  private static final long serialVersionUID = 1;

  SetupException(String why) {
    super(why);
  }

  /// Combines a description with the program's output.
  static SetupException of(String what, CommandRunner.Result result) {
    return new SetupException(
        result.lastLines().isBlank()
            ? "%s (exit status %d, without output).".formatted(what, result.status())
            : what + ":\n" + result.lastLines());
  }

  String why() {
    return String.valueOf(getMessage());
  }
}
