package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The page about security promises nothing without a test.
class SecurityPageTest {
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| (?<attack>[^|]+) \\| (?<result>[^|]+) \\| `(?<type>\\w+)\\.(?<method>\\w+)`"
              + " \\|$");

  @Test
  void everyAttackHasATestThatExists() throws IOException {
    var page = Files.readString(Path.of("SECURITY.md"));
    var begin = page.indexOf("## How each promise is tested");
    var section = page.substring(begin, page.indexOf("\n## ", begin));
    var lines =
        section.lines().filter(it -> it.startsWith("| ") && !it.endsWith("| test |")).toList();
    var sources = TestSources.read();

    assertThat(ROW.matcher(section).results()).hasSameSizeAs(lines).hasSizeGreaterThan(60);
    assertThat(
            ROW.matcher(section)
                .results()
                .filter(row -> !sources.hasTest(row.group("type"), row.group("method")))
                .map(row -> row.group("method")))
        .isEmpty();
  }
}
