package dev.runnel.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TruncationTest {
  private static final String SMILE = "\uD83D\uDE00";

  @Test
  void headDoesNotSplitASurrogatePair() {
    assertThat(Truncation.head("ab" + SMILE + "cd", 3)).isEqualTo("ab");
    assertThat(Truncation.head("ab" + SMILE + "cd", 4)).isEqualTo("ab" + SMILE);
    assertThat(Truncation.head("ab" + SMILE, 3)).isEqualTo("ab");
    assertThat(Truncation.head(SMILE, 1)).isEmpty();
  }

  @Test
  void theHeadOfAShortTextIsTheText() {
    assertThat(Truncation.head("ab" + SMILE, 4)).isEqualTo("ab" + SMILE);
    assertThat(Truncation.head("", 0)).isEmpty();
    assertThat(Truncation.head("ab", 0)).isEmpty();
  }

  @Test
  void aCutTextEndsWithAnEllipsisWithinTheLength() {
    assertThat(Truncation.cut("ab" + SMILE + "cd", 4)).isEqualTo("ab…");
    assertThat(Truncation.cut("abcde", 4)).isEqualTo("abc…");
    assertThat(Truncation.cut("ab cde", 4)).isEqualTo("ab…");
    assertThat(Truncation.cut("abcd", 4)).isEqualTo("abcd");
  }

  @Test
  void boundaryDoesNotSplitASurrogatePair() {
    assertThat(Truncation.boundary("ab" + SMILE + "cd", 3)).isEqualTo(2);
    assertThat(Truncation.boundary("ab" + SMILE + "cd", 4)).isEqualTo(4);
    assertThat(Truncation.boundary(SMILE, 0)).isZero();
  }
}
