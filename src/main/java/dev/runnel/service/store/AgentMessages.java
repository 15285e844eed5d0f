package dev.runnel.service.store;

import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/// Limits what agents send to other agents with their keys, prompts and follow-ups together, so
/// that no agent can fill the database. Counted in this process, for all runs below a root run
/// together. Thread-safe.
final class AgentMessages {
  /// Maximum size of a follow-up of anybody, in bytes.
  static final int MAX_FOLLOW_UP = 1024 * 1024;

  /// Maximum size of a follow-up of an agent, in bytes.
  static final int MAX_FOLLOW_UP_OF_AGENT = 256 * 1024;

  /// Maximum size of all that the agents below a root run send in a window, in bytes.
  static final long MAX_IN_WINDOW = 4 * 1024 * 1024;

  static final Duration WINDOW = Duration.ofHours(1);

  private record Sent(Instant since, long bytes) {}

  // Guarded by this.
  private final Map<String, Sent> byRootRun = new HashMap<>();

  /// @throws RequestProblem if the message is too large
  static void requireSize(String message, boolean isOfAgent) {
    var limit = isOfAgent ? MAX_FOLLOW_UP_OF_AGENT : MAX_FOLLOW_UP;
    var bytes = bytes(message);
    if (bytes > limit) {
      throw tooLarge(
          "A follow-up%s has at most %,d bytes, and this one has %,d. Put the text into a file, and name the file."
              .formatted(isOfAgent ? " of an agent" : "", limit, bytes));
    }
  }

  /// Counts a follow-up of an agent.
  ///
  /// @throws RequestProblem if the agents have sent too much
  void add(String rootRunId, String message, Instant now) {
    add(rootRunId, bytes(message), now);
  }

  /// Counts a run that an agent creates.
  ///
  /// @throws RequestProblem if the agents have sent too much
  void add(String rootRunId, NewRun run, Instant now) {
    var bytes =
        bytes(run.prompt())
            + run.attachments().stream().mapToLong(picture -> picture.content().length).sum()
            + run.config().map(config -> bytes(config.toString())).orElse(0L)
            + bytes(run.rest().toString());
    add(rootRunId, bytes, now);
  }

  private synchronized void add(String rootRunId, long bytes, Instant now) {
    byRootRun.values().removeIf(sent -> !now.isBefore(sent.since().plus(WINDOW)));
    var before = byRootRun.getOrDefault(rootRunId, new Sent(now, 0));
    if (before.bytes() + bytes > MAX_IN_WINDOW) {
      throw tooLarge(
          "The agents of this run may send each other at most %,d bytes within an hour, and have sent %,d. Try again after %s, or put the text into files."
              .formatted(MAX_IN_WINDOW, before.bytes(), before.since().plus(WINDOW)));
    }
    byRootRun.put(rootRunId, new Sent(before.since(), before.bytes() + bytes));
  }

  private static long bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static RequestProblem tooLarge(String why) {
    return new RequestProblem(RequestProblem.Code.REQUEST_TOO_LARGE, why);
  }
}
