package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import dev.runnel.surface.tracker.RepositoryIssue;
import dev.runnel.surface.tracker.TriggerLabel;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Decides who may start and steer runs: users with write access to the repository. Also checks in
/// the timeline whether a change of labels or assignees concerned Runnel.
record GiteaAccessCheck(GiteaApi api, TriggerLabel trigger) {
  // Gitea's times are whole seconds. A longer tolerance would match an earlier change.
  private static final Duration TOLERANCE = Duration.ofSeconds(1);

  Admission admit(RepositoryIssue issue, Delivery delivery) {
    if (delivery.meaning().startsWith(GiteaPayloads.GUESS) && !isConfirmed(issue, delivery)) {
      return new Admission.TurnedAway("the timeline shows no such change");
    }
    // An author without write access may close their own issue, which must not stop a run.
    var needsNoAccess = !delivery.addressed() && !(delivery.intent() instanceof Intent.Cancel);
    return needsNoAccess || writers(issue).contains(key(delivery.actor().id()))
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender has no write access to the repository");
  }

  /// Account names in lower case, because Gitea ignores case.
  Set<String> writers(RepositoryIssue issue) {
    return PagedReader.read(_ -> api.writers(issue), Integer.MAX_VALUE, _ -> false).stream()
        .flatMap(each -> Json.text(each, "login").stream())
        .map(GiteaAccessCheck::key)
        .collect(Collectors.toSet());
  }

  static String key(String login) {
    return login.toLowerCase(Locale.ROOT);
  }

  /// Whether the last change of that kind is the one that the delivery assumes.
  private boolean isConfirmed(RepositoryIssue issue, Delivery delivery) {
    var time = delivery.meaning().substring(delivery.meaning().lastIndexOf(' ') + 1);
    var since = Json.instant(time).orElse(delivery.arrivedAt()).minus(TOLERANCE);
    var isLabel = delivery.meaning().contains(GiteaPayloads.LABEL + " ");
    var changes =
        PagedReader.read(page -> api.timeline(issue, since, page), GiteaApi.PAGE, _ -> false)
            .stream()
            .filter(each -> isLabel ? isTrigger(each) : isOurs(each))
            .toList();
    return !changes.isEmpty()
        && isAdded(changes.getLast(), isLabel) == (delivery.intent() instanceof Intent.Start);
  }

  private boolean isTrigger(JsonNode event) {
    return Json.text(event, "type").equals(Optional.of("label"))
        && Json.text(event.path("label"), "name").filter(trigger::isTrigger).isPresent();
  }

  private boolean isOurs(JsonNode event) {
    return Json.text(event, "type").equals(Optional.of("assignees"))
        && Json.text(event.path("assignee"), "login").filter(api.account()::is).isPresent();
  }

  private static boolean isAdded(JsonNode event, boolean isLabel) {
    return isLabel
        ? Json.text(event, "body").equals(Optional.of("1"))
        : !event.path("removed_assignee").asBoolean();
  }
}
