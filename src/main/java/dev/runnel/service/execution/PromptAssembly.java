package dev.runnel.service.execution;

import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.workspace.PreparedWorkspace;
import dev.runnel.service.workspace.Snapshots;
import dev.runnel.wire.RunMode;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// Assembles an agent's prompt: the message of this execution, instructions for the mode, the run's
/// skills, and in a new workspace also the initial prompt.
final class PromptAssembly {
  static final String NEW_WORKSPACE =
      "The workspace was set up afresh: what earlier executions left in it is gone.";

  static final String MOVED =
      "The node that has the workspace is gone. The run continues in a fresh workspace on another"
          + " node, with the conversation so far.";

  static final String RESTORED =
      "The node that has the workspace is gone. The run continues on another node with a snapshot"
          + " of its workspace";

  static final String NEW_SESSION =
      "The agent's earlier session is not in the home folder of this run. The agent begins a new"
          + " session with the conversation so far.";

  private static final String PLAN =
      """
      Do not change anything yet. Look at what is there, and answer with a plan: the steps, the \
      files, the risks. It will be carried out when somebody agrees.\
      """;

  private static final String ORCHESTRATION =
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

  private static final String HANDOVER =
      """
      Files for the people who asked, such as screenshots, reports and diffs, go into the folder \
      $%s. They are uploaded for them when you have finished.\
      """
          .formatted(HandedFiles.VARIABLE);

  private PromptAssembly() {}

  /// The note for people about a workspace that could not be restored.
  ///
  /// @param restoration the result of restoring its snapshot; empty without snapshots
  static String moved(Optional<Snapshots.Outcome> restoration) {
    return restoration.isPresent()
            && restoration.get() instanceof Snapshots.Outcome.Missing(String why)
        ? MOVED + " " + why
        : MOVED;
  }

  /// The note for people about a workspace that was restored.
  ///
  /// @param execution the last execution whose work it contains
  /// @param before the last execution of the run
  /// @param resumes whether the agent resumes its session; empty if it has none
  static String restored(int execution, int before, Optional<Boolean> resumes) {
    var text = new StringBuilder(RESTORED);
    if (execution < before) {
      text.append(
          before - execution == 1
              ? ", as it was before the last execution: what was done in it is gone"
              : ", as it was before the last %d executions: what was done in them is gone"
                  .formatted(before - execution));
    }
    resumes.ifPresent(
        yes ->
            text.append(
                yes
                    ? ", and with the session of the agent"
                    : ". The agent begins a new session with the conversation so far"));
    return text.append('.').toString();
  }

  /// @param prompt supplies the run's initial prompt; called only if needed
  static ExecutionRequest of(
      ExecutionRequest executionRequest,
      PreparedWorkspace.Ready ready,
      Supplier<Optional<String>> prompt) {
    return withModeInstructions(withSkills(executionRequest, ready, prompt));
  }

  /// The prompt of a run that continues a conversation.
  ///
  /// @param conversation the earlier conversation as text
  static String continuing(String conversation, String prompt) {
    return """
    This goes on with an earlier conversation. The files of then are not here. What was said:

    %s
    That was the earlier conversation. Now:

    %s\
    """
        .formatted(conversation, prompt.isBlank() ? "Go on." : prompt);
  }

  /// The prompt of an execution that continues its run without the agent's earlier session.
  ///
  /// @param conversation the conversation of the run so far, as text
  static String resuming(String conversation, String prompt) {
    return """
    This continues your earlier work in this folder, in a new session. What was said so far:

    %s
    That was the conversation so far. Now:

    %s\
    """
        .formatted(conversation, prompt);
  }

  /// Adds the instructions for handing files over.
  static ExecutionRequest withHandoverInstructions(ExecutionRequest executionRequest) {
    return executionRequest.withBasePrompt(
        Optional.of(
            executionRequest.basePrompt().map(text -> text + "\n\n").orElse("") + HANDOVER));
  }

  private static ExecutionRequest withModeInstructions(ExecutionRequest executionRequest) {
    if (executionRequest.mode().equals(RunMode.PLAN)) {
      return executionRequest.withPrompt(executionRequest.prompt() + "\n\n" + PLAN);
    }
    return executionRequest.mayStartRuns() && executionRequest.execution() == 1
        ? executionRequest.withBasePrompt(
            Optional.of(
                executionRequest.basePrompt().map(text -> text + "\n\n").orElse("")
                    + ORCHESTRATION))
        : executionRequest;
  }

  private static ExecutionRequest withSkills(
      ExecutionRequest executionRequest,
      PreparedWorkspace.Ready ready,
      Supplier<Optional<String>> prompt) {
    var base = basePrompt(executionRequest, ready);
    if (ready.isNew() && executionRequest.execution() > 1) {
      var text = new StringBuilder();
      base.ifPresent(basePrompt -> text.append(basePrompt).append("\n\n"));
      prompt
          .get()
          .filter(initial -> !initial.isBlank())
          .ifPresent(initial -> text.append(initial).append("\n\n"));
      return executionRequest.withPrompt(text + executionRequest.prompt());
    }
    return base.isPresent() ? executionRequest.withBasePrompt(base) : executionRequest;
  }

  private static Optional<String> basePrompt(
      ExecutionRequest executionRequest, PreparedWorkspace.Ready ready) {
    var parts =
        Stream.concat(
                ready.skills().stream()
                    .map(each -> each.skill().basePrompt() + place(each, ready.folder())),
                executionRequest.basePrompt().stream())
            .toList();
    return parts.isEmpty() ? Optional.empty() : Optional.of(String.join("\n\n", parts));
  }

  /// The location of the skill's files, since a skill refers to them by name only.
  private static String place(PreparedWorkspace.SkillFile chosen, Path workFolder) {
    return chosen.skill().folder().isEmpty()
        ? ""
        : "\n\nThe files of this skill are in %s."
            .formatted(workFolder.relativize(chosen.file().getParent()));
  }
}
