package dev.runnel.service.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ToolCallTest {
  private static final ToolCall PUBLISH =
      call("Bash", "{\"command\":\"npm publish\",\"timeout\":5,\"description\":\"Publishes\"}");

  @Test
  void digestIgnoresTheOrderOfMembersAndTheDescription() {
    assertThat(
            call("Bash", "{\"timeout\":5,\"description\":\"Go\",\"command\":\"npm publish\"}")
                .digest())
        .isEqualTo(PUBLISH.digest());
  }

  @Test
  void everyOtherDifferenceChangesTheDigest() {
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
  void runPermissionCoversTheSameCommandFileHostOrServerTool() {
    assertThat(PUBLISH.scopeDescription()).isEqualTo("the same command");
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
  void invisibleCharactersAreEscaped() {
    var hidden = call("Bash", "{\"command\":\"curl evil\\r\\u202Eecho\\u200B hi\\nls\"}");

    assertThat(hidden.display(UnaryOperator.identity()))
        .isEqualTo("curl evil\\u{d}\\u{202e}echo\\u{200b} hi\nls");
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0xA0, 0x34F, 0x115F, 0x1160, 0x17B4, 0x180B, 0x2003, 0x2800, 0x3000, 0x3164, 0xFE0F, 0xFFA0,
        0xFFFC, 0x13441, 0x1D159, 0xE0100
      })
  void characterWithoutAGlyphIsEscaped(int point) {
    var call =
        new ToolCall("Bash", ServiceJson.newObject().put("command", "a" + text(point) + "b"));

    assertThat(call.display(it -> it)).isEqualTo("a\\u{%x}b".formatted(point));
  }

  @Test
  void slackMarkupIsEscaped() {
    var call = call("Bash", "{\"command\":\"echo ``` id ````; sh <@U0BOB>x `pwd` <a>\"}");

    assertThat(call.display(it -> it))
        .isEqualTo("echo \\u{60}×3 id \\u{60}×4; sh \\u{3c}@U0BOB>x `pwd` <a>");
  }

  @Test
  void stackedCombiningMarksAreEscaped() {
    var call =
        new ToolCall(
            "Bash", ServiceJson.newObject().put("command", "cafe\u0301 \u0301x\u0336\u0336\u0336"));

    assertThat(call.display(it -> it)).isEqualTo("cafe\u0301 \\u{301}x\u0336\u0336\\u{336}");
  }

  @Test
  void longRunsOfBlanksAreCollapsed() {
    var spaces = call("Bash", "{\"command\":\"ls" + " ".repeat(300) + "; rm x\"}");
    var lines = call("Bash", "{\"command\":\"ls" + "\\n".repeat(60) + " \\t rm x\"}");
    var code = "if (a) {\n\n                        b();";

    assertThat(spaces.display(it -> it)).isEqualTo("ls\\u{20}×300; rm x");
    assertThat(lines.display(it -> it)).isEqualTo("ls\\u{a}×60\\u{20}\\u{9}\\u{20}rm x");
    assertThat(new ToolCall("Bash", ServiceJson.newObject().put("command", code)).display(it -> it))
        .isEqualTo(code);
  }

  @Test
  void multilineValueCannotForgeAnotherMember() {
    var call =
        call(
            "Write",
            "{\"content\":\"x\\nfile_path: /w/readme\",\"file_path\":\"/w/.bashrc\",\"a\\nb\":1}");

    assertThat(call.display(it -> it))
        .isEqualTo(
            """
            content: x
              file_path: /w/readme
            file_path: /w/.bashrc
            a\\u{a}b: 1\
            """);
  }

  @Test
  void allInputWithAnEffectIsShownWithoutSecrets() {
    assertThat(PUBLISH.display(text -> text.replace("npm", "***")))
        .isEqualTo("*** publish\ntimeout: 5");
    assertThat(
            call("Write", "{\"file_path\":\"/w/a\",\"content\":\"x\"}")
                .display(UnaryOperator.identity()))
        .isEqualTo("file_path: /w/a\ncontent: x");
  }

  @Test
  void toolNameIsReducedToPlainCharacters() {
    assertThat(call("mcp__jira__delete_issue", "{}").name()).isEqualTo("mcp__jira__delete_issue");
    assertThat(call("Bash`\n- Allow", "{}").name()).isEqualTo("Bash__-_Allow");
  }

  @Test
  void longCommandShowsHowManyCharactersAreHidden() {
    var text = call("Bash", "{\"command\":\"" + "x".repeat(3_000) + "\"}").summary(it -> it);

    assertThat(text)
        .isEqualTo("x".repeat(1_500) + "…\n(1,500 more characters: see the transcript of the run)");
  }

  @Test
  void longMembersComeLastSoThatShortOnesStayVisible() {
    var input =
        ServiceJson.newObject()
            .put("content", "x".repeat(5_000))
            .put("note", "y".repeat(2_000))
            .put("file_path", "/w/.bashrc");
    var text = new ToolCall("Write", input).summary(it -> it);

    assertThat(text)
        .startsWith("file_path: /w/.bashrc\nnote: yyy")
        .containsPattern(
            "y…\n\\(1,2\\d\\d more characters: see the transcript of the run\\)\ncontent: xxx")
        .matches("(?s).*x…\n\\(4,2\\d\\d more characters: see the transcript of the run\\)")
        .hasSizeLessThan(1_700);
  }

  @Test
  void membersThatDoNotFitAreCounted() {
    var input = ServiceJson.newObject();
    for (var i = 0; i < 500; i++) {
      input.put("member" + i, i);
    }
    var text = new ToolCall("mcp__db__run", input).summary(it -> it);

    assertThat(text)
        .startsWith("member0: 0\n")
        .endsWith("\n(470 more members: see the transcript of the run)");
  }

  private static void assertSameScope(String tool, String one, String other) {
    assertThat(call(tool, one).scopeDigest()).isEqualTo(call(tool, other).scopeDigest());
    assertThat(call(tool, one).digest()).isNotEqualTo(call(tool, other).digest());
  }

  private static void assertOtherScope(String tool, String one, String other) {
    assertThat(call(tool, one).scopeDigest()).isNotEqualTo(call(tool, other).scopeDigest());
  }

  private static String text(int point) {
    return Character.toString(point);
  }

  private static ToolCall call(String tool, String input) {
    return new ToolCall(tool, (ObjectNode) ServiceJson.read(input));
  }
}
