package dev.runnel.surface.jira;

import java.util.Optional;
import java.util.regex.Pattern;

/// An issue by the key people see: `SHOP-7`.
record JiraIssue(String key) {
  // Contains nothing that would change the paths built from it.
  private static final Pattern KEY =
      Pattern.compile("^(?<project>[A-Z][A-Z0-9_]{0,30})-(?<number>[1-9][0-9]{0,11})");

  static Optional<JiraIssue> of(String key) {
    return KEY.matcher(key).matches() ? Optional.of(new JiraIssue(key)) : Optional.empty();
  }

  String project() {
    return key.substring(0, key.lastIndexOf('-'));
  }

  @Override
  public String toString() {
    return key;
  }
}
