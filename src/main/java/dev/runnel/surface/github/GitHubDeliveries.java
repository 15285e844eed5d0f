package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.tracker.MissedDeliveryCollector;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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
///
/// @param hooks the webhooks whose delivery lists are read
record GitHubDeliveries(GitHubApi api, GitHubPayloads payloads, List<HookPath> hooks) {
  private static final Logger log = LoggerFactory.getLogger(GitHubDeliveries.class);
  private static final int MAX_PAGES = 100;
  private static final Optional<Duration> RETRY_DELAY = Optional.of(Duration.ofMinutes(15));
  private static final int MAX_READ = 200;

  void find(MissedDeliveryCollector missed) {
    for (var hook : hooks) {
      var failed = failed(hook, missed.from());
      missed
          .first(MAX_READ, failed, each -> Optional.of(each.at()))
          .forEach(each -> read(missed, hook, each));
    }
  }

  /// @param at when GitHub tried to deliver it
  /// @param node as listed, without the payload
  private record Attempt(Instant at, JsonNode node) {}

  /// The first attempt of each delivery whose attempts all failed.
  private List<Attempt> failed(HookPath hook, Instant since) {
    var delivered = new HashSet<String>();
    Map<String, Attempt> failed = new HashMap<>();
    for (var attempt : attempts(hook, since)) {
      var guid = Json.text(attempt.node(), "guid").orElse("");
      var status = attempt.node().path("status_code").asInt();
      if (status >= 200 && status < 300) {
        delivered.add(guid);
      } else if (GitHubPayloads.knows(attempt.node().path("event").asText())) {
        failed.put(guid, attempt);
      }
    }
    failed.keySet().removeAll(delivered);
    return List.copyOf(failed.values());
  }

  /// Newest first.
  private List<Attempt> attempts(HookPath hook, Instant since) {
    var all = new ArrayList<Attempt>();
    var cursor = Optional.of("");
    for (var page = 0; page < MAX_PAGES && cursor.isPresent(); page++) {
      var list = api.deliveries(hook, cursor.get());
      for (var attempt : required(list.result())) {
        var at = Json.instant(attempt, "delivered_at").filter(it -> !it.isBefore(since));
        if (at.isEmpty()) {
          return all;
        }
        all.add(new Attempt(at.get(), attempt));
      }
      cursor = list.next();
    }
    if (cursor.isPresent()) {
      log.warn("list longer than what is read, older deliveries are left out hook={}", hook.path());
    }
    return all;
  }

  private void read(MissedDeliveryCollector missed, HookPath hook, Attempt attempt) {
    var guid = Json.text(attempt.node(), "guid");
    var id = Json.id(attempt.node(), "id");
    if (guid.isEmpty() || id.isEmpty()) {
      return;
    }
    var payload = required(api.delivery(hook, id.get())).path("request").path("payload");
    missed.add(
        attempt.at(),
        guid.get(),
        true,
        (it, now) -> payloads.read(attempt.node().path("event").asText(), it, payload, now));
  }

  /// The body of a response without which it is unknown what was missed.
  private static JsonNode required(ApiResult result) {
    return switch (result) {
      case ApiResult.Done(var body) -> body;
      case ApiResult.Busy(var after, var why) -> throw new TrackerUnavailable(after, why);
      case ApiResult.Failure failure -> throw new TrackerUnavailable(RETRY_DELAY, failure.why());
    };
  }
}
