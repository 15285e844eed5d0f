package dev.runnel.database;

/// The tables of a part of Runnel: numbered SQL scripts on the class path, which Flyway applies.
///
/// @param location folder of the scripts on the class path
/// @param newest number of the newest script
public record Schema(String location, int newest) {
  /// Whether a newer Runnel wrote the database.
  ///
  /// @param version as in [Database#version]; what is not a number counts as newer
  public boolean isOlderThan(String version) {
    try {
      return Integer.parseInt(version) > newest;
    } catch (NumberFormatException _) {
      return true;
    }
  }
}
