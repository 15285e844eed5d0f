package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.Saying.Answer;
import dev.runnel.service.Saying.Did;
import dev.runnel.service.Saying.Failure;
import dev.runnel.service.Saying.Question;
import dev.runnel.service.Saying.Said;
import dev.runnel.service.Saying.Session;
import dev.runnel.service.Saying.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HarnessTest {
  @Nested
  class TheChoice {
    @TempDir Path folder;

    @Test
    void isTheCommandWhenThereIsOne() throws IOException {
      program("claude");

      assertThat(choose(Optional.of("my-agent"))).isEqualTo("command");
    }

    @Test
    void isTheFirstKnownAgentOnThePathOtherwise() throws IOException {
      program("opencode");
      program("codex");
      assertThat(choose(Optional.empty())).isEqualTo("codex");

      program("claude");
      assertThat(choose(Optional.empty())).isEqualTo("claude");
    }

    @Test
    void isTheRehearsalOnAMachineWithoutAgents() throws IOException {
      Files.writeString(folder.resolve("claude"), "not executable");

      assertThat(choose(Optional.empty())).isEqualTo("rehearsal");
    }

    private String choose(Optional<String> command) {
      return Agents.choose(command, Map.of("PATH", "/nowhere::" + folder)).name();
    }

    private void program(String name) throws IOException {
      Files.createFile(
          folder.resolve(name),
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }
  }

  @Nested
  class TheCommandAgent {
    @Test
    void saysStatusAndQuestionWithMarkedLines() {
      assertThat(
              hear(
                  new CommandAgent("command", "x"),
                  "::status reading",
                  "::blocked Which branch?",
                  " ::status quoted",
                  "text"))
          .containsExactly(
              new Status("reading"),
              new Question("Which branch?"),
              new Said(" ::status quoted"),
              new Said("text"));
    }
  }

  @Nested
  class Claude {
    @Test
    void isReadFromItsStream() {
      assertThat(
              hear(
                  new ClaudeAgent(),
                  """
                  {"type":"system","subtype":"init","session_id":"s-1"}\
                  """,
                  """
                  {"type":"assistant","message":{"content":[{"type":"text","text":"Looking"},\
                  {"type":"tool_use","name":"Bash","input":{"command":"ls  -l"}}]}}\
                  """,
                  "not json",
                  """
                  {"type":"result","subtype":"success","is_error":false,"result":"Done."}\
                  """))
          .containsExactly(
              new Session("s-1"), new Said("Looking"), new Did("Bash ls -l"), new Answer("Done."));
      assertThat(
              hear(
                  new ClaudeAgent(),
                  """
                  {"type":"result","subtype":"error_during_execution","is_error":true}\
                  """))
          .containsExactly(new Failure("error_during_execution"));
    }

    @Test
    void resumesItsSession() {
      assertThat(new ClaudeAgent().command(job(Optional.empty())))
          .containsSequence("--session-id", "session")
          .containsSequence("--model", "m");
      assertThat(new ClaudeAgent().command(job(Optional.of("s-1"))))
          .containsSequence("--resume", "s-1")
          .doesNotContain("--session-id");
    }
  }

  @Nested
  class Codex {
    @Test
    void isReadFromItsEvents() {
      assertThat(
              hear(
                  new CodexAgent(),
                  """
                  {"type":"thread.started","thread_id":"t-1"}\
                  """,
                  """
                  {"type":"item.completed","item":{"type":"command_execution","command":"ls"}}\
                  """,
                  """
                  {"type":"item.completed","item":{"type":"agent_message","text":"Done."}}\
                  """,
                  """
                  {"type":"turn.failed","error":{"message":"no model"}}\
                  """))
          .containsExactly(
              new Session("t-1"),
              new Did("shell ls"),
              new Said("Done."),
              new Answer("Done."),
              new Failure("no model"));
    }

    @Test
    void resumesItsThread() {
      assertThat(new CodexAgent().command(job(Optional.of("t-1")))).endsWith("resume", "t-1", "-");
    }
  }

  @Nested
  class Gemini {
    @Test
    void isPutTogetherFromPieces() {
      assertThat(
              hear(
                  new GeminiAgent(),
                  """
                  {"type":"init","session_id":"g-1"}\
                  """,
                  """
                  {"type":"message","role":"assistant","content":"Let me see","delta":true}\
                  """,
                  """
                  {"type":"tool_use","tool_name":"shell","parameters":{"command":"ls"}}\
                  """,
                  """
                  {"type":"message","role":"assistant","content":"All\\ndo","delta":true}\
                  """,
                  """
                  {"type":"message","role":"assistant","content":"ne.","delta":true}\
                  """,
                  """
                  {"type":"result","status":"success"}\
                  """))
          .containsExactly(
              new Session("g-1"),
              new Said("Let me see"),
              new Did("shell ls"),
              new Said("All"),
              new Said("done."),
              new Answer("All\ndone."));
    }
  }

  @Nested
  class Opencode {
    @Test
    void isReadFromItsEvents() {
      assertThat(
              hear(
                  new OpencodeAgent(),
                  """
                  {"type":"text","sessionID":"o-1","part":{"type":"text","text":"Done."}}\
                  """,
                  """
                  {"type":"error","error":{"name":"X","data":{"message":"no model"}}}\
                  """))
          .containsExactly(
              new Session("o-1"), new Said("Done."), new Answer("Done."), new Failure("no model"));
    }
  }

  @Test
  void noAgentHasThePromptInItsArguments() {
    for (var agent :
        List.of(
            new ClaudeAgent(),
            new CodexAgent(),
            new GeminiAgent(),
            new OpencodeAgent(),
            Rehearsal.agent())) {
      assertThat(agent.command(job(Optional.of("s")))).noneMatch(word -> word.contains("secret"));
      assertThat(agent.input(job(Optional.empty()))).endsWith("secret prompt");
    }
  }

  private static List<Saying> hear(Harness harness, String... lines) {
    var ears = harness.ears();
    return List.of(lines).stream().flatMap(line -> ears.hear(line).stream()).toList();
  }

  private static Job job(Optional<String> agentSession) {
    return new Job(
        "run",
        1,
        "secret prompt",
        "session",
        agentSession,
        Optional.of("m"),
        Optional.of("base"),
        "{}");
  }
}
