package dev.runnel.core.model;

/// What every typed name checks: it is there, and it is not blank.
final class NameCheck {
  private NameCheck() {}

  static void require(String what, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException("A " + what + " must not be blank");
    }
  }
}
