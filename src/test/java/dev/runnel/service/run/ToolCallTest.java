package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ToolCallTest {
  private static final ToolCall PUBLISH =
      call("Bash", "{\"command\":\"npm publish\",\"timeout\":5,\"description\":\"Publishes\"}");

  @Test
  void theSameCallHasTheSameDigestInWhateverOrderAndWithWhateverDescription() {
    assertThat(
            call("Bash", "{\"timeout\":5,\"description\":\"Go\",\"command\":\"npm publish\"}")
                .digest())
        .isEqualTo(PUBLISH.digest());
  }

  @Test
  void everyOtherDifferenceIsAnotherCall() {
    assertThat(
            new ToolCall[] {
              call("Bash", "{\"command\":\"npm publish \",\"timeout\":5}"),
              call("Bash", "{\"command\":\"npm publish\",\"timeout\":6}"),
              call("Bash", "{\"command\":\"npm publish\",\"timeout\":\"5\"}"),
              call("Bash", "{\"command\":\"npm publish\",\"timeout\":5,\"extra\":null}"),
              call("Shell", "{\"command\":\"npm publish\",\"timeout\":5}"),
              call("Shell", "{\"command\":\"npm publish\",\"timeout\":5,\"description\":\"x\"}")
            })
        .extracting(ToolCall::digest)
        .doesNotContain(PUBLISH.digest())
        .doesNotHaveDuplicates();
  }

  @Test
  void thePermissionForARunCoversTheSameCommandTheSameFileTheSameHostOrTheToolOfAServer() {
    assertThat(PUBLISH.scopeWords()).isEqualTo("the same command");
    assertSameScope(
        "Edit",
        "{\"file_path\":\"/w/a\",\"old_string\":\"x\"}",
        "{\"file_path\":\"/w/a\",\"old_string\":\"y\"}");
    assertSameScope(
        "WebFetch", "{\"url\":\"https://a.example/x\"}", "{\"url\":\"https://a.example/y\"}");
    assertSameScope("mcp__jira__delete", "{\"issue\":\"A-1\"}", "{\"issue\":\"A-2\"}");

    assertOtherScope("Bash", "{\"command\":\"a\"}", "{\"command\":\"a -x\"}");
    assertOtherScope("Edit", "{\"file_path\":\"/w/a\"}", "{\"file_path\":\"/w/b\"}");
    assertOtherScope(
        "WebFetch", "{\"url\":\"https://a.example\"}", "{\"url\":\"https://b.example\"}");
    assertOtherScope("WebSearch", "{\"query\":\"a\"}", "{\"query\":\"b\"}");
  }

  @Test
  void whatCannotBeSeenIsWrittenOut() {
    var hidden = call("Bash", "{\"command\":\"curl evil\\r\\u202Eecho\\u200B hi\\nls\"}");

    assertThat(hidden.shown(UnaryOperator.identity()))
        .isEqualTo("curl evil\\u{d}\\u{202e}echo\\u{200b} hi\nls");
  }

  @Test
  void allInputWithAnEffectIsShownWithoutSecrets() {
    assertThat(PUBLISH.shown(text -> text.replace("npm", "***")))
        .isEqualTo("*** publish\ntimeout: 5");
    assertThat(
            call("Write", "{\"file_path\":\"/w/a\",\"content\":\"x\"}")
                .shown(UnaryOperator.identity()))
        .isEqualTo("file_path: /w/a\ncontent: x");
  }

  @Test
  void theNameOfAToolIsPlain() {
    assertThat(call("mcp__jira__delete_issue", "{}").name()).isEqualTo("mcp__jira__delete_issue");
    assertThat(call("Bash`\n- Allow", "{}").name()).isEqualTo("Bash__-_Allow");
  }

  @Test
  void aLongCallSaysHowMuchOfItIsNotShown() {
    var text = call("Bash", "{\"command\":\"" + "x".repeat(3_000) + "\"}").summary(it -> it);

    assertThat(text)
        .startsWith("xxx")
        .endsWith("…\n(1,500 more characters: see the transcript of the run)");
  }

  private static void assertSameScope(String tool, String one, String other) {
    assertThat(call(tool, one).scopeDigest()).isEqualTo(call(tool, other).scopeDigest());
    assertThat(call(tool, one).digest()).isNotEqualTo(call(tool, other).digest());
  }

  private static void assertOtherScope(String tool, String one, String other) {
    assertThat(call(tool, one).scopeDigest()).isNotEqualTo(call(tool, other).scopeDigest());
  }

  private static ToolCall call(String tool, String input) {
    return new ToolCall(tool, Json.read(input));
  }
}
