package dev.runnel.service;

import dev.runnel.service.workspace.Prepared;
import dev.runnel.service.workspace.Skill;
import java.util.Optional;
import java.util.function.Supplier;

/// What an agent is told beyond the message of this execution: the run's skill, and where it starts
/// afresh also what was asked at first.
final class Briefing {
  static final String AFRESH =
      "The workspace was set up afresh: what earlier executions left in it is gone.";

  private Briefing() {}

  /// @param prompt the run's own, asked for only where it is needed
  static Job of(Job job, Prepared.Ready ready, Supplier<Optional<String>> prompt) {
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
