package dev.runnel.core.flow;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Run;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/// Sentences about runs that read the same everywhere.
public final class Words {
  private Words() {}

  /// `It is running, for 3 min 20 s now.`
  static String state(Binding binding, Instant now) {
    var run = binding.run();
    var elapsed = elapsed(Duration.between(binding.since(), now));
    return binding.isActive()
        ? "It is " + state(run) + ", for " + elapsed + " now."
        : "It has ended: " + state(run) + ".";
  }

  /// The state, what the agent says, and where to look.
  static String status(Binding binding, Instant now) {
    var text = new StringBuilder(state(binding, now));
    binding.run().message().ifPresent(message -> text.append("\n").append(message));
    binding.run().session().ifPresent(link -> text.append("\n").append(link));
    return text.append("\nRun `").append(binding.run().id()).append("`").toString();
  }

  /// One word or two: `queued`, `waiting for an answer`.
  public static String state(Run run) {
    return switch (run.state()) {
      case QUEUED -> "queued";
      case RUNNING -> "running";
      case BLOCKED -> "waiting for an answer";
      case SUCCEEDED -> "done";
      case FAILED -> "failed";
      case CANCELLED -> "cancelled";
      case UNKNOWN -> run.stateName().toLowerCase(Locale.ROOT);
    };
  }

  /// `3 min 20 s`, `2 h 5 min`, `3 d 4 h`: the two largest units; never negative.
  public static String elapsed(Duration duration) {
    var time = duration.isNegative() ? Duration.ZERO : duration;
    if (time.toDays() > 0) {
      return time.toDays() + " d " + time.toHoursPart() + " h";
    }
    if (time.toHours() > 0) {
      return time.toHours() + " h " + time.toMinutesPart() + " min";
    }
    if (time.toMinutes() > 0) {
      return time.toMinutes() + " min " + time.toSecondsPart() + " s";
    }
    return time.toSeconds() + " s";
  }
}
