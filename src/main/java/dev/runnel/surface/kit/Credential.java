package dev.runnel.surface.kit;

/// Describes a tracker's credential to the people who can replace it.
///
/// @param name as in "does not accept the token"
/// @param place the same, with its place in the settings
/// @param mend one sentence on what to do when it is rejected
public record Credential(String name, String place, String mend) {
  /// @param setting the variable that contains it
  public static Credential token(String setting) {
    return new Credential(
        "the token", "the token in " + setting, "Put a valid one into " + setting + ".");
  }
}
