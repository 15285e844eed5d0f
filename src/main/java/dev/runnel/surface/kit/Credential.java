package dev.runnel.surface.kit;

/// What proves to a tracker that it is us, in words for the people who can mend it.
///
/// @param name as in "does not accept the token"
/// @param place the same, with where the settings have it
/// @param mend what to do when it is not accepted, in a sentence
public record Credential(String name, String place, String mend) {
  /// @param setting the variable that has it
  public static Credential token(String setting) {
    return new Credential(
        "the token", "the token in " + setting, "Put a valid one into " + setting + ".");
  }
}
