package dev.runnel.surface.kit;

/// Describes a tracker's credential to the people who can replace it.
///
/// @param name the credential in a sentence: `the token`
/// @param place the same with its setting: `the token in GITHUB_TOKEN`
/// @param remedy one sentence on what to do when it is rejected
public record Credential(String name, String place, String remedy) {
  /// @param setting the variable that contains it
  public static Credential token(String setting) {
    return new Credential(
        "the token", "the token in " + setting, "Put a valid one into " + setting + ".");
  }
}
