package dev.runnel.service;

import java.util.List;

/// How one kind of agent is started, and how its output is read. The prompt always goes through
/// standard input, so that it is never in the process list.
sealed interface Harness permits CommandAgent, ClaudeAgent, CodexAgent, GeminiAgent, OpencodeAgent {
  /// Reads the standard output of one execution, line by line; not for several threads.
  @FunctionalInterface
  interface Ears {
    List<Saying> hear(String line);
  }

  /// `command`, `claude`, `codex`, `gemini`, `opencode` or `rehearsal`.
  String name();

  /// Program and arguments.
  List<String> command(Job job);

  /// What standard input carries.
  default String input(Job job) {
    return job.execution() == 1 && job.basePrompt().isPresent()
        ? job.basePrompt().get() + "\n\n" + job.prompt()
        : job.prompt();
  }

  Ears ears();
}
