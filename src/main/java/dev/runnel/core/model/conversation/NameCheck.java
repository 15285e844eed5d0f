package dev.runnel.core.model.conversation;

/// Rejects blank values; used by all typed names.
public final class NameCheck {
  private NameCheck() {}

  public static void require(String what, String value) {
    if (value.isBlank()) {
      throw new IllegalArgumentException("A " + what + " must not be blank");
    }
  }
}
