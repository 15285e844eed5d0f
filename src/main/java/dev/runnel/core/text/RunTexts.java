package dev.runnel.core.text;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/// Texts about runs, the same on every platform.
public final class RunTexts {
  /// About a run that its service has deleted.
  public static final String GONE =
      "The run service no longer has this run, so nothing of it works any more.";

  private static final Pattern LOCAL =
      Pattern.compile(
          "localhost|127(?:\\.\\d+){1,3}|0\\.0\\.0\\.0|\\[::1?\\]", Pattern.CASE_INSENSITIVE);

  private RunTexts() {}

  /// `⚙️ Running for 3 min 20 s.`, `✅ Finished.`
  public static String state(Binding binding, Instant now) {
    var run = binding.run();
    var elapsed = elapsed(Duration.between(binding.since(), now));
    if (!binding.isActive()) {
      return "%s %s.".formatted(emoji(run.state()), name(run));
    }
    // A follow-up was accepted, but the run has not continued yet.
    var shown = run.state().isTerminal() ? RunState.QUEUED : run.state();
    return switch (shown) {
      case QUEUED -> "%s Queued for %s.".formatted(emoji(shown), elapsed);
      case RUNNING -> "%s Running for %s.".formatted(emoji(shown), elapsed);
      case BLOCKED, UNKNOWN, SUCCEEDED, FAILED, CANCELLED ->
          "%s %s. Started %s ago.".formatted(emoji(shown), name(run), elapsed);
    };
  }

  /// The state, the agent's last message, and the links.
  public static String status(Binding binding, Instant now) {
    var text = new StringBuilder(state(binding, now));
    binding.run().message().ifPresent(message -> text.append("\n").append(message));
    binding
        .run()
        .evidence()
        .ifPresent(
            it -> {
              EvidenceTexts.line(it).ifPresent(line -> text.append("\n").append(line));
              EvidenceTexts.mismatch(it).ifPresent(words -> text.append("\n⚠️ ").append(words));
              EvidenceTexts.details(it).forEach(line -> text.append("\n- ").append(line));
            });
    session(binding.run()).ifPresent(link -> text.append("\n").append(link));
    return text.append("\nRun `").append(binding.run().id().brief()).append("`").toString();
  }

  /// The link to the run; empty if it only works on this machine, because Runnel has no public URL.
  public static Optional<URI> session(Run run) {
    return run.session().filter(link -> !isLocal(link));
  }

  private static boolean isLocal(URI link) {
    var host = link.getHost();
    return host != null
        && (LOCAL.matcher(host).matches() || host.toLowerCase(Locale.ROOT).endsWith(".localhost"));
  }

  /// The state within a sentence: `queued`, `waiting for you`.
  public static String state(Run run) {
    return name(run).toLowerCase(Locale.ROOT);
  }

  /// The state as a heading. An unknown state keeps the service's own name, which is untrusted
  /// text.
  public static String name(Run run) {
    return switch (run.state()) {
      case QUEUED -> "Queued";
      case RUNNING -> "Running";
      case BLOCKED -> "Waiting for you";
      case SUCCEEDED -> "Finished";
      case FAILED -> "Failed";
      case CANCELLED -> "Stopped";
      case UNKNOWN -> run.stateName().isBlank() ? "Unknown" : run.stateName();
    };
  }

  /// The state as an emoji, shown beside the name and never alone.
  public static String emoji(RunState state) {
    return switch (state) {
      case QUEUED -> "⏳";
      case RUNNING -> "⚙️";
      case BLOCKED -> "✋";
      case SUCCEEDED -> "✅";
      case FAILED -> "❌";
      case CANCELLED -> "🚫";
      case UNKNOWN -> "❔";
    };
  }

  /// `3 min 20 s`, `2 h 5 min`, `3 d`: the two largest units, the second one unless it is 0; never
  /// negative.
  public static String elapsed(Duration duration) {
    var time = duration.isNegative() ? Duration.ZERO : duration;
    if (time.toDays() > 0) {
      return time.toDays() + " d" + unlessZero(time.toHoursPart(), "h");
    }
    if (time.toHours() > 0) {
      return time.toHours() + " h" + unlessZero(time.toMinutesPart(), "min");
    }
    if (time.toMinutes() > 0) {
      return time.toMinutes() + " min" + unlessZero(time.toSecondsPart(), "s");
    }
    return time.toSeconds() + " s";
  }

  private static String unlessZero(int value, String unit) {
    return value == 0 ? "" : " " + value + " " + unit;
  }
}
