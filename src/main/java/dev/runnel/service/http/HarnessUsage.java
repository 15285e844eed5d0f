package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.run.Usage;
import java.util.Optional;

/// The usage of a run of Claude Code or Codex, in the counts of this agent. A count that is left
/// out was not stored; that does not mean zero.
final class HarnessUsage {
  private HarnessUsage() {}

  static ObjectNode of(RunRow run) {
    var body =
        ServiceJson.newObject()
            .put("run_id", run.id())
            .put("conversation_id", run.conversationId().orElse(run.id()));
    var agent = run.agentSession().map(session -> session.split(":", 2)[0]).orElse("");
    var usage = run.usage().map(Usage::fromJson);
    var harness =
        switch (agent) {
          case "claude" -> Optional.of("CLAUDE_CODE");
          case "codex" -> Optional.of("CODEX");
          default -> Optional.<String>empty();
        };
    if (harness.isEmpty() || usage.isEmpty()) {
      return body.put("available", false);
    }
    var envelope = body.put("available", true).putObject("usage");
    envelope
        .put("harness", harness.get())
        .put("metricsVersion", 1)
        .put("capturedAt", run.updatedAt().toString())
        .put("captureSequence", run.execution())
        .put("executionId", run.execution());
    var snapshot = envelope.putObject("snapshot");
    snapshot.putObject("coverage").put("tokenStatus", "partial").put("toolStatus", "unavailable");
    var counts = snapshot.putObject("payload").putObject("usage");
    if (harness.get().equals("CODEX")) {
      // The stored number includes tokens from the cache, as that of Codex and unlike that of
      // Claude Code.
      counts.put("input_tokens", usage.get().input());
    }
    counts.put("output_tokens", usage.get().output());
    return body;
  }
}
