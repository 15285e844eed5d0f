package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AgentSessionTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"6b0f8d9c-1c7e-4f65-9a3e-2f1f0f5c9b7a", "ses_7cA1b", "thread.1:2", "019a2b3c"})
  void idsOfAgentsAreValid(String id) {
    assertThat(AgentSession.isValid(id)).isTrue();
    assertThat(AgentSession.decode(AgentSession.encode("claude", id), "claude")).contains(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "-x",
        "--dangerously-skip-permissions",
        "a b",
        "../x",
        "a\nb",
        "ä",
        "$(x)"
      })
  void otherTextsNeverBecomeArguments(String id) {
    assertThat(AgentSession.isValid(id)).isFalse();
    assertThat(AgentSession.decode(AgentSession.encode("claude", id), "claude")).isEmpty();
  }

  @Test
  void sessionIdHasALimitedLength() {
    assertThat(AgentSession.isValid("a".repeat(200))).isTrue();
    assertThat(AgentSession.isValid("a".repeat(201))).isFalse();
  }
}
