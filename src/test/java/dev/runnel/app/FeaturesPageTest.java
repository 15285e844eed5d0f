package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The page of features claims nothing without a test.
class FeaturesPageTest {
  private static final Pattern ROW =
      Pattern.compile(
          "(?m)^\\| (?:(?<number>\\d+) \\| )?(?<feature>[^|]+) \\| (?<state>yes|part|no) \\|"
              + " (?<note>[^|]*) \\| (?:`(?<test>\\w+)`)? ?\\|$");

  @Test
  void everyRowHasAStateAndEveryClaimATestThatExists() throws IOException {
    var page = Files.readString(Path.of("docs/features.md"));
    var rows = ROW.matcher(page).results().toList();
    var lines = page.lines().filter(line -> line.startsWith("| ") && !line.contains("feature |"));
    assertThat(rows).hasSameSizeAs(lines.toList()).hasSizeGreaterThan(130);

    var tests = TestSources.read().files().keySet();
    for (var row : rows) {
      var test = row.group("test");
      if (row.group("state").equals("no")) {
        assertThat(test).as(row.group()).isNull();
      } else {
        assertThat(test).as(row.group()).isIn(tests);
      }
    }
  }

  @Test
  void partialFeatureStatesWhatIsMissing() throws IOException {
    var rows = ROW.matcher(Files.readString(Path.of("docs/features.md"))).results();

    assertThat(rows.filter(row -> row.group("state").equals("part")))
        .allSatisfy(row -> assertThat(row.group("note")).as(row.group()).isNotBlank());
  }

  @Test
  void noFeatureHasTwoRows() throws IOException {
    var rows = ROW.matcher(Files.readString(Path.of("docs/features.md"))).results();

    assertThat(rows.map(row -> row.group("feature"))).doesNotHaveDuplicates();
  }

  @Test
  void theNumberedRowsAreComplete() throws IOException {
    var numbers =
        ROW.matcher(Files.readString(Path.of("docs/features.md")))
            .results()
            .filter(row -> row.group("number") != null)
            .map(FeaturesPageTest::number)
            .toList();

    assertThat(numbers).hasSize(32).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void onlyLanguagesAndOtherChatsAreListedAsMissing() throws IOException {
    var rows = ROW.matcher(Files.readString(Path.of("docs/features.md"))).results();

    assertThat(rows.filter(row -> row.group("state").equals("no")).map(row -> row.group("feature")))
        .containsExactlyInAnyOrder(
            "Other chats than Slack", "Runnel's own words in other languages", "Languages");
  }

  private static int number(MatchResult row) {
    return Integer.parseInt(row.group("number"));
  }
}
