package dev.runnel.surface;

import java.util.Optional;

/// The result of checking one connection or credential.
///
/// @param text `ok` with details, or how to fix the problem
public record ConnectionCheck(boolean isOk, String text) {
  public static final ConnectionCheck OK = new ConnectionCheck(true, "ok");

  public static ConnectionCheck ok(String text) {
    return new ConnectionCheck(true, text);
  }

  public static ConnectionCheck problem(String text) {
    return new ConnectionCheck(false, text);
  }

  /// @param problem empty if there is none
  public static ConnectionCheck of(Optional<String> problem) {
    return problem.map(ConnectionCheck::problem).orElse(OK);
  }
}
