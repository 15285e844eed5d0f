package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Reads failed webhook deliveries: GitHub does not redeliver by itself, but lists each delivery
/// and its result for three days. A failed delivery is read under its original id, so that it
/// counts once, however it arrives.
///
/// See https://docs.github.com/rest/apps/webhooks and https://docs.github.com/rest/repos/webhooks
final class GitHubDeliveries {
  private static final Logger log = LoggerFactory.getLogger(GitHubDeliveries.class);
  private static final int MAX_PAGES = 20;
  private static final Duration A_WHILE = Duration.ofMinutes(15);
  private static final int MAX_READ = 200;

  private final SurfaceId surface;
  private final GitHubApi api;
  private final GitHubPayloads payloads;
  private final InstantSource clock;
  private final List<HookPath> hooks;

  /// @param hooks the webhooks whose delivery lists are read
  GitHubDeliveries(
      SurfaceId surface,
      GitHubApi api,
      GitHubPayloads payloads,
      InstantSource clock,
      List<HookPath> hooks) {
    this.surface = surface;
    this.api = api;
    this.payloads = payloads;
    this.clock = clock;
    this.hooks = List.copyOf(hooks);
  }

  /// Whether there is a list to read.
  boolean areListed() {
    return !hooks.isEmpty();
  }

  MissedDeliveries since(Instant since) {
    var heard = new ArrayList<MissedDeliveries.Heard>();
    try {
      for (var hook : hooks) {
        for (var failed : failed(hook, since)) {
          read(hook, failed).ifPresent(heard::add);
        }
      }
    } catch (Pages.Waits waits) {
      return new MissedDeliveries.Unknown(waits.after(), waits.why());
    }
    heard.sort(Comparator.comparing(MissedDeliveries.Heard::at));
    return new MissedDeliveries.Said(heard);
  }

  /// One attempt of each delivery whose attempts all failed.
  private List<JsonNode> failed(HookPath hook, Instant since) throws Pages.Waits {
    var arrived = new HashSet<String>();
    Map<String, JsonNode> failed = new LinkedHashMap<>();
    for (var attempt : attempts(hook, since)) {
      var guid = Json.text(attempt, "guid").orElse("");
      var status = attempt.path("status_code").asInt();
      if (status >= 200 && status < 300) {
        arrived.add(guid);
      } else if (GitHubPayloads.knows(attempt.path("event").asText())) {
        failed.put(guid, attempt);
      }
    }
    failed.keySet().removeAll(arrived);
    if (failed.size() > MAX_READ) {
      log.warn(
          "catch-up limit reached, some deliveries skipped hook={} count={}",
          hook.path(),
          failed.size());
    }
    return failed.values().stream().limit(MAX_READ).toList();
  }

  /// Newest first.
  private List<JsonNode> attempts(HookPath hook, Instant since) throws Pages.Waits {
    var all = new ArrayList<JsonNode>();
    var cursor = Optional.of("");
    for (var page = 0; page < MAX_PAGES && cursor.isPresent(); page++) {
      var list = api.deliveries(hook, cursor.get());
      for (var attempt : seen(list.result())) {
        if (Json.instant(attempt, "delivered_at").filter(at -> !at.isBefore(since)).isEmpty()) {
          return all;
        }
        all.add(attempt);
      }
      cursor = list.next();
    }
    return all;
  }

  private Optional<MissedDeliveries.Heard> read(HookPath hook, JsonNode attempt)
      throws Pages.Waits {
    var guid = Json.text(attempt, "guid");
    var id = Json.id(attempt, "id");
    var at = Json.instant(attempt, "delivered_at");
    if (guid.isEmpty() || id.isEmpty() || at.isEmpty()) {
      return Optional.empty();
    }
    var payload = seen(api.delivery(hook, id.get())).path("request").path("payload");
    return payloads
        .read(
            attempt.path("event").asText(),
            DeliveryId.of(surface, guid.get()),
            payload,
            clock.instant())
        .map(said -> new MissedDeliveries.Heard(said, at.get(), true));
  }

  /// While a list cannot be read, it is unknown what was missed.
  private static JsonNode seen(ApiResult result) throws Pages.Waits {
    return switch (result) {
      case ApiResult.Done(var body) -> body;
      case ApiResult.Busy busy -> throw new Pages.Waits(busy);
      case ApiResult.Gone(var why) -> throw unseen(why);
      case ApiResult.Refused(var why) -> throw unseen(why);
    };
  }

  private static Pages.Waits unseen(String why) {
    return new Pages.Waits(new ApiResult.Busy(Optional.of(A_WHILE), why));
  }
}
