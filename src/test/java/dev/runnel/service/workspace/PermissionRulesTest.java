package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PermissionRulesTest {
  @Test
  void rulesAreSeparatedByCommasOutsideOfParentheses() {
    assertThat(PermissionRules.of(" Bash(cp {a,b} c), Edit(/db/**),mcp__jira__delete ,").ask())
        .containsExactly("Bash(cp {a,b} c)", "Edit(/db/**)", "mcp__jira__delete");
    assertThat(PermissionRules.of("").isEmpty()).isTrue();
    assertThat(PermissionRules.of("off").isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"npm publish", "Bash(", "Bash()", "(x)", "Bash(x) y"})
  void textThatIsNoRuleIsRefused(String text) {
    assertThatThrownBy(() -> PermissionRules.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("permission rules of Claude Code");
  }
}
