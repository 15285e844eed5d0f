package dev.runnel.core.command;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The commands, as `help` explains them.
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
      "Says how a run is doing: the one of the thread, the one you name, or your latest here."),
  CANCEL(
      "cancel [RUN|LINK|all mine]",
      "cancel",
      "Stops a run, and takes back what waits for it. `stop` is the same."),
  RETRY("retry [RUN|LINK]", "retry", "Starts a run that has ended again, with the same words."),
  SAY("say RUN TEXT", "say run-12 use the old API", "Says something to a run from anywhere."),
  LINK(
      "link RUN",
      "link run-12",
      "Brings a run here that was started elsewhere, in a terminal for example: its updates go to"
          + " this thread from now on."),
  NEW(
      "new: PROMPT",
      "new: now write the docs",
      "Starts a second run in a thread. Replies go to it from then on; the first goes on."),
  INTERRUPT(
      "interrupt: TEXT",
      "interrupt: not that file, the other one",
      "In a thread: ends what the agent does now, and lets it go on with your text at once."),
  PLAN(
      "plan: PROMPT",
      "plan: move the cart to the new API",
      "Starts a run that changes nothing before somebody approves its plan. What you reply"
          + " otherwise changes the plan."),
  JOIN(
      "join",
      "join",
      "After my question whether a request goes to the run that works on the same issue: yes."),
  SEPARATE("separate", "separate", "After the same question: no, the request starts another run."),
  MUTE(
      "mute",
      "mute",
      "In a thread: from now on only messages that mention me go to the agent, and stops."),
  LISTEN("listen", "listen", "In a thread: from now on all replies go to the agent."),
  SCHEDULE(
      "schedule [WHEN PROMPT | pause ID | resume ID | delete ID]",
      "schedule every weekday at 9:00 check the nightly build",
      "Starts runs at times, here: once or again and again, by your own clock. Alone it lists the"
          + " schedules of this place."),
  AGAIN(
      "again WHEN",
      "again in 2 weeks",
      "In a thread with a run: starts a run with the same words at that time, here."),
  CONFIG(
      "config [set KEY VALUE | unset KEY] [me|here|workspace]",
      "config set model fast here",
      "Shows the defaults for new runs and where each comes from, or changes one. The keys are"
          + " profile, env, model, skill, factory and prompt."),
  EXPLAIN(
      "explain PROMPT",
      "explain fix the flaky test",
      "Shows what would be sent, where and with which options, and starts nothing."),
  WHY(
      "why LINK",
      "why https://example.slack.com/archives/C012345/p1700000000000100",
      "Says what happened to a message: how it was read, and what was done."),
  USAGE("usage", "usage", "Counts the runs of the last 7 and 30 days, yours and of this place."),
  WHOAMI("whoami", "whoami", "Says who you are to me, and which defaults hold for you."),
  APPROVE(
      "approve [ID]",
      "approve",
      "Lets a start go on that waits for an approval: the one of the thread, or the one you name."),
  DECLINE(
      "decline [ID]",
      "decline",
      "Refuses a start that waits for an approval: the one of the thread, or the one you name."),
  FREEZE(
      "freeze[: REASON]",
      "freeze: we are deploying",
      "Stops all starts everywhere until somebody says `unfreeze`. Runs that work go on."),
  UNFREEZE("unfreeze", "unfreeze", "Permits starts again."),
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
      case APPROVE, DECLINE -> "Those whom the policy names for it.";
      case FREEZE, UNFREEZE ->
          "Those whom the policy permits to, or the admins where there is none.";
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
