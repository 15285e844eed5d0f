package dev.runnel.service.store;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.TriggerMetadata;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.UserInfo;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Creates runs, within one transaction: checks that the referenced parent and conversation exist,
/// and adds inherited metadata.
///
/// @param sources the sources of runs by the name of Runnel's surface
record RunCreation(RunTable runs, Map<String, RunSource> sources, Instant at) {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Logger log = LoggerFactory.getLogger(RunCreation.class);

  /// @return the new run's id
  /// @throws RequestProblem if the parent or the conversation does not exist, or the run would be
  ///   nested too deeply
  String create(NewRun request, Caller caller, Optional<String> factoryUid) throws SQLException {
    var id = UUID.randomUUID().toString();
    var parent = Optional.<RunRow>empty();
    if (request.parentRunId().isPresent()) {
      parent = runs.find(request.parentRunId().get());
      if (parent.isEmpty()) {
        throw RequestProblem.invalid("parent_run_id names no run");
      }
      if (parent.get().depth() >= RunService.MAX_DEPTH) {
        throw RequestProblem.invalid("Runs can be nested at most 3 deep");
      }
      if (runs.countDescendants(parent.get().rootRunId(), at.minus(DAY))
          >= RunService.MAX_DESCENDANTS) {
        throw RequestProblem.invalid(
            "A run may have at most %d runs below it in a day, at all depths together. Do the rest of the work in the runs that there are, or say what is left."
                .formatted(RunService.MAX_DESCENDANTS));
      }
    }
    var factoryOf = parent.flatMap(RunRow::factoryUid);
    var run = parent.isPresent() ? withParent(request, parent.get(), caller) : request;
    if (run.conversationId().isPresent() && runs.newestOf(run.conversationId().get()).isEmpty()) {
      throw RequestProblem.invalid("conversation_id names no conversation");
    }
    var creator = person(request, caller).orElse(caller.info());
    runs.insert(
        id,
        run,
        new RunTable.Origin(
            parent.isPresent() ? RunSource.ORCHESTRATION : source(request.metadata()),
            creator,
            executor(run, caller),
            factoryUid.or(() -> factoryOf),
            Optional.empty(),
            parent.map(RunRow::rootRunId),
            parent.map(row -> row.depth() + 1).orElse(0)),
        at);
    log.info("run created run={}", id);
    return id;
  }

  /// The agent identity that the run names, or else the caller.
  private static UserInfo executor(NewRun run, Caller caller) {
    return run.identityUid()
        .map(uid -> new UserInfo("service_account", uid, null, null, null, Map.of()))
        .orElse(caller.info());
  }

  /// `./runnel run` states itself: as a client of the API, or as the source of a factory's ticket.
  private RunSource source(Map<String, String> metadata) {
    var client = metadata.getOrDefault(TriggerMetadata.CLIENT, "");
    if (client.equals(TriggerMetadata.MCP)) {
      return RunSource.MCP;
    }
    return client.equals("cli") || "terminal".equals(metadata.get("ticket_source"))
        ? RunSource.CLI
        : TriggerMetadata.source(metadata, sources);
  }

  /// The person for whom the request is made. Statements of an agent are ignored: its runs belong
  /// to it.
  private static Optional<UserInfo> person(NewRun request, Caller caller) {
    if (caller.scope() instanceof Caller.Scope.Below) {
      return Optional.empty();
    }
    return request
        .onBehalfOf()
        .map(who -> new UserInfo("user", who, who, who.contains("@") ? who : null, null, Map.of()))
        .or(() -> TriggerMetadata.person(request.metadata()));
  }

  void createScheduled(NewRun run, Schedules.Schedule schedule) throws SQLException {
    var id = UUID.randomUUID().toString();
    runs.insert(
        id,
        run,
        new RunTable.Origin(
            RunSource.SCHEDULED_AGENT,
            Caller.MAIN.info(),
            executor(run, Caller.MAIN),
            Optional.empty(),
            Optional.of(schedule.forRun()),
            Optional.empty(),
            0),
        at);
    log.info("run created run={} schedule={}", id, schedule.id());
  }

  /// Adds the metadata of the parent. If an agent starts the run, entries of Runnel, such as the
  /// requester, come from the parent only, because the agent could forge them.
  private static NewRun withParent(NewRun run, RunRow parent, Caller caller) {
    Map<String, String> own = new TreeMap<>(run.metadata());
    if (caller.scope() instanceof Caller.Scope.Below) {
      own.keySet().removeIf(TriggerMetadata::isOfRunnel);
    }
    Map<String, String> metadata = new TreeMap<>(parent.metadataEntries());
    metadata.putAll(own);
    NewRun.check(metadata);
    return run.withMetadata(metadata);
  }
}
