package dev.runnel.service.execution;

import dev.runnel.service.run.Job;
import dev.runnel.service.workspace.Prepared;
import dev.runnel.service.workspace.Skill;
import dev.runnel.wire.RunMode;
import java.util.Optional;
import java.util.function.Supplier;

/// What an agent is told beyond the message of this execution: the run's skill, and where it starts
/// afresh also what was asked at first.
final class Briefing {
  static final String AFRESH =
      "The workspace was set up afresh: what earlier executions left in it is gone.";

  private static final String PLAN =
      """
      Do not change anything yet. Look at what is there, and answer with a plan: the steps, the \
      files, the risks. It will be carried out when somebody agrees.\
      """;

  private static final String LEAD =
      """
      You may hand parts of the work to other agents. Start a run for each:
      curl -sS -X POST "$RUNNEL_AGENT_API_URL/agent/runs" \\
        -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY" -H "Content-Type: application/json" \\
        -d '{"prompt": "…", "title": "…"}'
      It answers with a run_id. Look how it is doing with
      curl -sS "$RUNNEL_AGENT_API_URL/agent/runs/RUN_ID" -H "Authorization: Bearer $RUNNEL_AGENT_API_KEY"
      until its state is SUCCEEDED, FAILED, ERROR, CANCELLED or BLOCKED; its answer is in \
      status_message. The key is for these runs alone, and ends with yours.\
      """;

  private Briefing() {}

  /// @param prompt the run's own, asked for only where it is needed
  static Job of(Job job, Prepared.Ready ready, Supplier<Optional<String>> prompt) {
    return mode(skilled(job, ready, prompt));
  }

  /// The prompt of a run that continues a conversation.
  ///
  /// @param talk what was said in it before
  static String continuing(String talk, String prompt) {
    return """
    This goes on with an earlier conversation. The files of then are not here. What was said:

    %s
    That was the earlier conversation. Now:

    %s\
    """
        .formatted(talk, prompt.isBlank() ? "Go on." : prompt);
  }

  private static Job mode(Job job) {
    if (job.mode().equals(RunMode.PLAN)) {
      return job.withPrompt(job.prompt() + "\n\n" + PLAN);
    }
    return job.leads() && job.execution() == 1
        ? job.withBasePrompt(job.basePrompt().map(words -> words + "\n\n").orElse("") + LEAD)
        : job;
  }

  private static Job skilled(Job job, Prepared.Ready ready, Supplier<Optional<String>> prompt) {
    var base = basePrompt(job, ready);
    if (ready.fresh() && job.execution() > 1) {
      var text = new StringBuilder();
      base.ifPresent(words -> text.append(words).append("\n\n"));
      prompt
          .get()
          .filter(words -> !words.isBlank())
          .ifPresent(words -> text.append(words).append("\n\n"));
      return job.withPrompt(text + job.prompt());
    }
    return base.map(job::withBasePrompt).orElse(job);
  }

  private static Optional<String> basePrompt(Job job, Prepared.Ready ready) {
    if (ready.skill().isEmpty()) {
      return job.basePrompt();
    }
    var chosen = ready.skill().get();
    var text = chosen.skill().basePrompt() + place(chosen.skill(), ready);
    return Optional.of(job.basePrompt().map(words -> text + "\n\n" + words).orElse(text));
  }

  /// A skill speaks of its own files by their names alone.
  private static String place(Skill skill, Prepared.Ready ready) {
    var folder = ready.folder().relativize(ready.skill().orElseThrow().file().getParent());
    return skill.folder().isEmpty() ? "" : "\n\nThe files of this skill are in " + folder + ".";
  }
}
