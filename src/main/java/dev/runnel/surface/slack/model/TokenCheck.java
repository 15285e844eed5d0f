package dev.runnel.surface.slack.model;

/// The result of checking one workspace or one token.
///
/// @param words what to do if it is not well
public record TokenCheck(boolean isWell, String words) {
  public static final TokenCheck OK = new TokenCheck(true, "ok");

  public static TokenCheck well(String words) {
    return new TokenCheck(true, words);
  }

  public static TokenCheck problem(String words) {
    return new TokenCheck(false, words);
  }
}
