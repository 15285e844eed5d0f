package dev.runnel.database;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LikeTest {
  @ParameterizedTest
  @CsvSource({"a%b,a!%b", "a_b,a!_b", "a!b,a!!b", "a*b,a*b", "a\\b,a\\b"})
  void wildcardsAreEscaped(String text, String escaped) {
    assertThat(Like.escaped(text)).isEqualTo(escaped);
    assertThat(Like.containing(text)).isEqualTo("%" + escaped + "%");
    assertThat(Like.prefix(text)).isEqualTo(escaped + "%");
  }

  @Test
  void escapedPatternMatchesOnlyTheLiteralText() {
    try (var database = Database.inMemory()) {
      boolean found =
          database.write(
              rows ->
                  rows.first(
                          "SELECT 1 WHERE 'x_y' LIKE ? ESCAPE '!' AND NOT 'xzy' LIKE ? ESCAPE '!'",
                          row -> row.getInt(1),
                          Like.containing("_"),
                          Like.containing("_"))
                      .isPresent());

      assertThat(found).isTrue();
    }
  }
}
