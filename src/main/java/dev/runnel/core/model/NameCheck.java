package dev.runnel.core.model;

/// Rejects blank values; used by all typed names.
final class NameCheck {
  private NameCheck() {}

  static void require(String what, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException("A " + what + " must not be blank");
    }
  }
}
