package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The tools of all agents by the names that a conversation has for what they do.
class PublicActionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          Bash ls -l                      | run_command  | command     | {"command":"ls -l"}
          run_shell_command mvn test      | run_command  | command     | {"command":"mvn test"}
          shell                           | run_command  | command     | {}
          Edit src/App.java               | edit_files   | files       | {"path":"src/App.java"}
          add notes.md                    | edit_files   | files       | {"path":"notes.md"}
          write_file notes.md             | edit_files   | files       | {"path":"notes.md"}
          Read README.md                  | read_files   | files       | {"path":"README.md"}
          Grep retries                    | search_files | search      | {"pattern":"retries"}
          web search weather              | search_web   | search      | {"query":"weather"}
          WebFetch https://a.example      | search_web   | search      | {"query":"https://a.example"}
          TodoWrite [1]                   | edit_plan    | documents   | {"text":"[1]"}
          Skill review                    | use_skill    | skill       | {"skill":"review"}
          mcp__linear__list_issues PAY    | call_tool    | integration | {"tool":"mcp__linear__list_issues","text":"PAY"}
          Task                            | call_tool    | integration | {"tool":"Task"}
          Bashful x                       | call_tool    | integration | {"tool":"Bashful","text":"x"}
          """)
  void everyToolHasItsPublicName(String shown, String name, String category, String input) {
    var action = PublicAction.of(shown);

    assertThat(action.name()).isEqualTo(name);
    assertThat(action.category().value()).isEqualTo(category);
    assertThat(action.input()).hasToString(input);
  }
}
