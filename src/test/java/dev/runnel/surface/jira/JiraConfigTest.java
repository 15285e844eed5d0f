package dev.runnel.surface.jira;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.surface.tracker.IssueStage;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JiraConfigTest {
  private static final Map<String, String> CLOUD =
      Map.of(
          "JIRA_WEBHOOK_SECRET", "one, two",
          "JIRA_URL", "https://acme.atlassian.net/",
          "JIRA_EMAIL", "runnel@acme.example",
          "JIRA_TOKEN", "a-token");

  private static Map<String, String> with(String name, String value) {
    var settings = new HashMap<>(CLOUD);
    settings.put(name, value);
    return settings;
  }

  @Test
  void emailSettingSelectsJiraCloud() {
    var config = JiraConfig.from(CLOUD).orElseThrow();

    assertThat(config.isCloud()).isTrue();
    assertThat(config.webhookSecrets()).containsExactly("one", "two");
    assertThat(config.toString()).doesNotContain("a-token", "one");
  }

  @Test
  void missingEmailSettingSelectsADataCenter() {
    var settings = with("JIRA_URL", "https://jira.acme.example/base");
    settings.remove("JIRA_EMAIL");

    assertThat(JiraConfig.from(settings).orElseThrow().isCloud()).isFalse();
  }

  @Test
  void jiraIsOffWithoutItsSettings() {
    assertThat(JiraConfig.from(Map.of())).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "JIRA_EMAIL, '', JIRA_EMAIL is missing",
    "JIRA_TOKEN, '', JIRA_TOKEN is missing",
    "JIRA_WEBHOOK_SECRET, '', JIRA_WEBHOOK_SECRET is missing",
    "JIRA_URL, acme, JIRA_URL needs a web address",
    "JIRA_TRANSITIONS, done, JIRA_TRANSITIONS lists transitions",
    "JIRA_TRANSITIONS, later=Done, JIRA_TRANSITIONS lists transitions",
  })
  void missingOrInvalidJiraSettingIsNamed(String name, String value, String complaint) {
    assertThatThrownBy(() -> JiraConfig.from(with(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(complaint);
  }

  @Test
  void transitionNamesAreRead() {
    var settings = with("JIRA_TRANSITIONS", "running=Start progress, done = Send to review");

    assertThat(JiraConfig.from(settings).orElseThrow().transitions())
        .containsEntry(IssueStage.RUNNING, "Start progress")
        .containsEntry(IssueStage.DONE, "Send to review");
  }
}
