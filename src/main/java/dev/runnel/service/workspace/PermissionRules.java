package dev.runnel.service.workspace;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// The tools for which an agent asks a person first, as Claude Code's permission rules: `Bash`,
/// `Bash(npm publish:*)`, `Edit(/db/**)`, `mcp__jira__delete_issue`.
public record PermissionRules(List<String> ask) {
  public static final PermissionRules NONE = new PermissionRules(List.of());

  private static final Pattern RULE =
      Pattern.compile("^[A-Za-z_][A-Za-z0-9_*-]*(\\([^\\p{Cntrl}]+\\))?");

  /// @throws IllegalArgumentException if one is no rule; the message says what to write instead
  public PermissionRules {
    ask = List.copyOf(ask);
    for (var rule : ask) {
      if (!RULE.matcher(rule).matches()) {
        throw new IllegalArgumentException(
            "contains \"%s\", and must contain permission rules of Claude Code, like Bash(npm publish:*)"
                .formatted(rule));
      }
    }
  }

  /// Rules separated by commas; a rule may have commas in its parentheses. `off` is none.
  public static PermissionRules of(String text) {
    if (text.strip().equals("off")) {
      return NONE;
    }
    var rules = new ArrayList<String>();
    var rule = new StringBuilder();
    var depth = 0;
    for (int at = 0; at < text.length(); at++) {
      var letter = text.charAt(at);
      depth += letter == '(' ? 1 : letter == ')' ? -1 : 0;
      if (letter == ',' && depth <= 0) {
        rules.add(rule.toString().strip());
        rule.setLength(0);
      } else {
        rule.append(letter);
      }
    }
    rules.add(rule.toString().strip());
    return new PermissionRules(rules.stream().filter(each -> !each.isEmpty()).toList());
  }

  public boolean isEmpty() {
    return ask.isEmpty();
  }
}
