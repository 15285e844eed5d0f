package dev.runnel.core.command;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The commands, with the texts of `help`.
public enum Verb {
  RUN(
      "run: PROMPT",
      "run: fix the flaky test",
      "Starts a run. You can leave `run` out; it helps when a prompt begins like a command."),
  LIST(
      "list [mine|channel|all] [STATE]",
      "list mine failed",
      "Shows runs: of this place, of you, or of the whole workspace. A state is queued, running,"
          + " waiting, finished, failed or stopped."),
  STATUS(
      "status [RUN|LINK]",
      "status",
      "Shows the state of a run: the one of the thread, the one you name, or your latest here."),
  CANCEL(
      "cancel [RUN|LINK|all mine]",
      "cancel",
      "Stops a run and discards its queued replies. `stop` is the same."),
  RETRY(
      "retry [RUN|LINK]", "retry", "Starts a run again with the same prompt, after it has ended."),
  SAY("say RUN TEXT", "say run-12 use the old API", "Sends a message to a run from anywhere."),
  LINK(
      "link RUN",
      "link run-12",
      "Connects this thread to a run that was started elsewhere, such as in a terminal: its updates"
          + " are posted here from now on."),
  NEW(
      "new: PROMPT",
      "new: now write the docs",
      "Starts a second run in a thread. Replies go to it from then on; the first run continues."),
  INTERRUPT(
      "interrupt: TEXT",
      "interrupt: not that file, the other one",
      "In a thread: interrupts the agent, which continues with your text at once."),
  PLAN(
      "plan: PROMPT",
      "plan: move the cart to the new API",
      "Starts a run that makes a plan, and changes nothing until somebody approves it. Any other"
          + " reply changes the plan."),
  JOIN(
      "join",
      "join",
      "Answers my question whether to send a request to the run that works on the same issue:"
          + " yes."),
  SEPARATE("separate", "separate", "Answers the same question: no, start another run."),
  MUTE(
      "mute",
      "mute",
      "In a thread: from now on only stops and messages that mention me go to the agent."),
  LISTEN("listen", "listen", "In a thread: from now on all replies go to the agent."),
  SCHEDULE(
      "schedule [WHEN PROMPT | pause ID | resume ID | delete ID]",
      "schedule every weekday at 9:00 check the nightly build",
      "Starts runs here at a set time, once or repeatedly, in your time zone. Without arguments,"
          + " lists the schedules of this place."),
  AGAIN(
      "again WHEN",
      "again in 2 weeks",
      "In a thread with a run: starts a run with the same prompt here at that time."),
  CONFIG(
      "config [set KEY VALUE | unset KEY] [me|here|workspace]",
      "config set model opus here",
      "Shows the defaults for new runs and where each comes from, or changes one. The keys are"
          + " profile, env, model, skill, factory and prompt."),
  EXPLAIN(
      "explain: PROMPT",
      "explain: fix the flaky test",
      "Shows what would be sent, where, and with which options, without starting a run."),
  WHY(
      "why LINK",
      "why https://example.slack.com/archives/C012345/p1700000000000100",
      "Shows what happened to a message: how it was read, and what was done."),
  USAGE(
      "usage",
      "usage",
      "Shows the number and cost of runs in the last 7 and 30 days: yours, and those of this"
          + " place."),
  WHOAMI("whoami", "whoami", "Shows who you are to me, and which defaults apply to you."),
  APPROVE(
      "approve [ID]",
      "approve",
      "Approves a start that waits for approval: the one of the thread, or the one you name."),
  DECLINE(
      "decline [ID]",
      "decline",
      "Declines a start that waits for approval: the one of the thread, or the one you name."),
  FREEZE(
      "freeze[: REASON]",
      "freeze: we are deploying",
      "Blocks all starts everywhere, also by replies to ended runs, until somebody writes"
          + " `unfreeze`. Active runs continue."),
  UNFREEZE("unfreeze", "unfreeze", "Allows starts again."),
  DOCTOR("doctor", "doctor", "Checks every connection and says how to fix problems."),
  HELP("help [VERB]", "help list", "Explains all commands, or one.");

  private static final Map<String, String> SYNONYMS =
      Map.of("stop", "cancel", "unmute", "listen", "schedules", "schedule");

  private static final Map<String, Verb> BY_WORD =
      Stream.of(values()).collect(Collectors.toUnmodifiableMap(Verb::word, it -> it));

  private final String usage;
  private final String example;
  private final String meaning;

  Verb(String usage, String example, String meaning) {
    this.usage = usage;
    this.example = example;
    this.meaning = meaning;
  }

  /// The verb for a typed word: `stop` is `cancel`, `unmute` is `listen`, `schedules` is
  /// `schedule`.
  public static Optional<Verb> of(String word) {
    var name = word.toLowerCase(Locale.ROOT);
    return Optional.ofNullable(BY_WORD.get(SYNONYMS.getOrDefault(name, name)));
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  public String usage() {
    return usage;
  }

  public String example() {
    return example;
  }

  public String meaning() {
    return meaning;
  }

  /// Who may use it.
  public String who() {
    return switch (this) {
      case CONFIG ->
          "Anyone for themselves. The people of a place for the place, or only admins if admins are"
              + " configured. Admins for the workspace.";
      case APPROVE, DECLINE -> "The approvers that the policy names.";
      case FREEZE, UNFREEZE -> "People with this permission, or the admins if there is no policy.";
      case RUN,
          LIST,
          STATUS,
          CANCEL,
          RETRY,
          SAY,
          LINK,
          NEW,
          INTERRUPT,
          PLAN,
          JOIN,
          SEPARATE,
          MUTE,
          LISTEN,
          SCHEDULE,
          AGAIN,
          EXPLAIN,
          WHY,
          USAGE,
          WHOAMI,
          DOCTOR,
          HELP ->
          "Everybody who can write to me here.";
    };
  }
}
