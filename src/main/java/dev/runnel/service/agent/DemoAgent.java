package dev.runnel.service.agent;

/// The default agent where no other is installed: a real process that demonstrates a run, and
/// states that it is only a demo. Its output after the status lines is one paragraph, because the
/// last paragraph is the answer. Each line of the prompt is quoted, so that none is read as a
/// status line or ends the paragraph. The quote comes last, because Markdown would read a next line
/// as a part of it.
final class DemoAgent {
  private static final String SCRIPT =
      """
      asked=$(cat)
      echo '::status Reading what you asked'
      sleep 1
      echo '::status Looking for a coding agent on this machine: there is none yet'
      sleep 1
      echo '::status Writing the demo answer'
      echo 'This is the demo agent: no coding agent is installed here, so nothing was changed.'
      printf '%s' 'To let a real agent work, set RUNNEL_AGENT_COMMAND, or install claude, codex, gemini '
      echo 'or opencode so that it is on the PATH, and start Runnel again.'
      echo 'You asked:'
      printf '%s\n' "$asked" | sed 's/^/> /'
      """;

  private DemoAgent() {}

  static Harness agent() {
    return new CommandAgent("rehearsal", SCRIPT);
  }
}
