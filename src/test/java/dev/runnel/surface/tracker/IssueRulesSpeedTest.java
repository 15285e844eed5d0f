package dev.runnel.surface.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.testkit.ParserSpeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Anybody may write comments, so reading them is quick, and those for others are not parsed.
class IssueRulesSpeedTest {
  private final IssueRules rules = new IssueRules(Settings.of("agent", "agent"));

  @Test
  @Tag("slow")
  void commentsAreReadInLinearTime() throws Exception {
    ParserSpeed.assertLinear("@agent fix it\n", rules::comment);
    ParserSpeed.assertLinear(rules::comment);
    ParserSpeed.assertLinear(rules::direct);
  }

  @Test
  void requestOfMoreThanTheLimitIsRefusedInWords() {
    assertThat(rules.comment("@agent fix it " + "![[a](b)".repeat(200_000)))
        .hasValueSatisfying(
            intent ->
                assertThat(intent)
                    .isInstanceOfSatisfying(
                        Intent.Unclear.class,
                        it -> assertThat(it.why()).contains("100,000 characters")));
  }

  @Test
  void longCommentForOthersIsIgnored() {
    assertThat(rules.comment("![[a](b)".repeat(200_000))).isEmpty();
    assertThat(rules.comment("[".repeat(500_000) + "[a](b)".repeat(100_000) + "\n@agent stop"))
        .isEmpty();
  }
}
