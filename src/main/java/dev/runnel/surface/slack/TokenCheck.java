package dev.runnel.surface.slack;

/// What was found about one workspace, or one token.
///
/// @param words what to do where it is not well
public record TokenCheck(boolean isWell, String words) {
  static final TokenCheck OK = new TokenCheck(true, "ok");

  static TokenCheck well(String words) {
    return new TokenCheck(true, words);
  }

  static TokenCheck problem(String words) {
    return new TokenCheck(false, words);
  }
}
