package dev.runnel.core.recovery;

import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunListing;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Surface;
import dev.runnel.core.scope.Surfaces;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Detects when a failed service (the run service or a platform) works again, and makes all rows
/// due that wait for it.
///
/// Each node tracks by itself whether a service responds. One successful response suffices; while
/// no other call is made, the service is probed periodically. Any node may process the rows that
/// become due. A platform that does not accept our credential is not called at all: its surface is
/// on hold by a row, which all nodes obey, until a node finds that the credential is accepted.
public final class OutageRecovery {
  private static final Logger log = LoggerFactory.getLogger(OutageRecovery.class);

  /// The run service's name as a service to wait for.
  public static final String RUNS = "runs";

  /// Rows of a held surface are checked again after this time, even if they are not woken.
  private static final Duration CHECK_INTERVAL = Duration.ofMinutes(1);

  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(15);

  /// Minimum time between wakes, so that a service that fails intermittently is not called by all
  /// waiting rows after each response.
  private static final Duration WAKE_INTERVAL = Duration.ofSeconds(10);

  private enum State {
    DOWN,
    /// It responded, but the rows that wait for it are not due yet.
    BACK
  }

  private final Store store;
  private final AgentRuns runs;
  private final Surfaces surfaces;
  private final Map<String, State> services = new ConcurrentHashMap<>();
  private final Map<String, Instant> woken = new ConcurrentHashMap<>();
  private final Map<SurfaceId, Instant> probed = new ConcurrentHashMap<>();

  public OutageRecovery(Store store, AgentRuns runs, Surfaces surfaces) {
    this.store = store;
    this.runs = watching(runs);
    this.surfaces = surfaces;
    // An earlier process may have left waiting rows.
    failed(RUNS);
    surfaces.byId().keySet().forEach(id -> failed(id.value()));
  }

  /// Records a failed call.
  public void failed(String service) {
    services.put(service, State.DOWN);
  }

  /// Records a successful response; a permanent refusal is one, too.
  public void answered(String service) {
    services.replace(service, State.DOWN, State.BACK);
  }

  /// Makes all rows due that wait for a service that responds again.
  public void wake(Instant now) {
    services.forEach(
        (service, state) -> {
          var last = woken.get(service);
          if (state == State.BACK
              && (last == null || !now.isBefore(last.plus(WAKE_INTERVAL)))
              && services.remove(service, State.BACK)) {
            woken.put(service, now);
            store.change(work -> work.wake(service));
          }
        });
  }

  /// Why the surface is on hold; empty if it is not.
  public static Optional<String> held(Store.Work work, SurfaceId surface) {
    return Optional.ofNullable(work.holds().all().get(surface));
  }

  /// Puts the surface on hold.
  public static void hold(Store.Work work, SurfaceId surface, String why, Instant now) {
    if (held(work, surface).isEmpty()) {
      log.error("surface put on hold surface={} why=\"{}\"", surface, why);
    }
    work.holds().hold(surface, why, now);
  }

  /// When the rows of a held surface are checked again.
  public static Instant nextCheck(Instant now) {
    return now.plus(CHECK_INTERVAL);
  }

  /// Probes the services whose last call failed.
  public void step(Instant now) {
    if (services.get(RUNS) == State.DOWN) {
      var _ = runs.changedSince(now);
    }
    var held = store.holds();
    for (var surface : surfaces.byId().values()) {
      var id = surface.id();
      var last = probed.get(id);
      if ((held.containsKey(id) || services.get(id.value()) == State.DOWN)
          && (last == null || !now.isBefore(last.plus(PROBE_INTERVAL)))) {
        probed.put(id, now);
        probe(surface, held.containsKey(id), now);
      }
    }
    wake(now);
  }

  private void probe(Surface surface, boolean isHeld, Instant now) {
    var id = surface.id();
    try {
      if (!surface.isAvailable()) {
        return;
      }
      if (isHeld) {
        store.change(
            work -> {
              work.holds().lift(id);
              work.wake(id.value());
            });
        log.info("surface resumed surface={}", id);
      }
      answered(id.value());
    } catch (CredentialRefused refused) {
      store.change(work -> hold(work, id, refused.why(), now));
    } catch (RuntimeException broken) {
      log.error("unexpected error while probing surface={}", id, broken);
    }
  }

  /// Why a surface is on hold, for health checks. Surfaces that are turned off are ignored.
  public Optional<String> problem() {
    return store.holds().entrySet().stream()
        .filter(each -> surfaces.find(each.getKey()).isPresent())
        .map(Map.Entry::getValue)
        .sorted()
        .findFirst();
  }

  /// Wraps the run service to record the outcome of each call.
  public AgentRuns watching(AgentRuns service) {
    return new Watched(service);
  }

  private final class Watched implements AgentRuns {
    private final AgentRuns service;

    Watched(AgentRuns service) {
      this.service = service;
    }

    /// A `Retry-After` is no outage; callers obey it.
    private Outcome recorded(Outcome outcome) {
      switch (outcome) {
        case Outcome.Unavailable(var after, _) when after.isEmpty() -> failed(RUNS);
        case Outcome.Unavailable _ -> {}
        case Outcome.Done _, Outcome.Missing _, Outcome.Refused _ -> answered(RUNS);
      }
      return outcome;
    }

    private RunListing recorded(RunListing listing) {
      if (listing instanceof RunListing.Listed) {
        answered(RUNS);
      }
      return listing;
    }

    @Override
    public Outcome start(Prompt prompt, DeliveryId key) {
      return recorded(service.start(prompt, key));
    }

    @Override
    public Outcome findStarted(DeliveryId key, Instant since, Optional<String> words) {
      return recorded(service.findStarted(key, since, words));
    }

    @Override
    public Outcome followUp(RunId run, String text, DeliveryId key) {
      return recorded(service.followUp(run, text, key));
    }

    @Override
    public Outcome interrupt(RunId run, String text, DeliveryId key) {
      return recorded(service.interrupt(run, text, key));
    }

    @Override
    public Arrival followUpArrival(Run before, String text, int timesSent) {
      return service.followUpArrival(before, text, timesSent);
    }

    @Override
    public Outcome cancel(RunId run) {
      return recorded(service.cancel(run));
    }

    @Override
    public Outcome find(RunId run) {
      return recorded(service.find(run));
    }

    @Override
    public FileContent content(RunFile file, long maxBytes) {
      return service.content(file, maxBytes);
    }

    @Override
    public RunListing changedSince(Instant since) {
      return recorded(service.changedSince(since));
    }

    @Override
    public RunListing unfinished() {
      return recorded(service.unfinished());
    }
  }
}
