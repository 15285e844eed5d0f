package dev.runnel.app;

/// A text that counts how often its characters are read, and refuses to be read too often: what
/// takes quadratic time is found by its steps, without a clock.
final class CountedText implements CharSequence {
  /// The text was read more often than permitted.
  static final class ReadTooOften extends RuntimeException {
    private static final long serialVersionUID = 1;

    ReadTooOften() {
      super("read too often", null, false, false);
    }
  }

  private final String text;
  private final long most;
  private long reads;

  /// @param most how often each character may be read, on average
  CountedText(String text, int most) {
    this.text = text;
    this.most = (long) most * (text.length() + 10);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public char charAt(int index) {
    if (++reads > most) {
      throw new ReadTooOften();
    }
    return text.charAt(index);
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.subSequence(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
