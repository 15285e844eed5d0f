package dev.runnel.surface.gitea;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Admission;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.surface.kit.BotAccount;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.Pages;
import dev.runnel.surface.kit.TriggerLabel;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// Decides who may start and steer runs: users with write access to the repository. Also checks in
/// the timeline whether a change of labels or assignees concerned Runnel.
final class GiteaAccessCheck {
  // Gitea's times are whole seconds. A longer tolerance would match an earlier change.
  private static final Duration SLACK = Duration.ofSeconds(1);

  private final GiteaApi api;
  private final TriggerLabel trigger;
  private final BotAccount account;

  GiteaAccessCheck(GiteaApi api, TriggerLabel trigger, BotAccount account) {
    this.api = api;
    this.trigger = trigger;
    this.account = account;
  }

  Admission admit(GiteaIssue issue, Delivery delivery) {
    try {
      if (delivery.meaning().startsWith(GiteaPayloads.GUESS) && !isSo(issue, delivery)) {
        return new Admission.TurnedAway("the timeline shows no such change");
      }
      return !delivery.addressed() || writers(issue).contains(key(delivery.actor().id()))
          ? Admission.ADMITTED
          : new Admission.TurnedAway("whoever said it may not write in the repository");
    } catch (Pages.Waits waits) {
      return new Admission.Unknown(waits.after(), waits.why());
    }
  }

  /// Account names in lower case, because Gitea ignores case.
  Set<String> writers(GiteaIssue issue) throws Pages.Waits {
    return Pages.read(_ -> api.writers(issue), Integer.MAX_VALUE, _ -> false).stream()
        .flatMap(each -> Json.text(each, "login").stream())
        .map(GiteaAccessCheck::key)
        .collect(Collectors.toSet());
  }

  static String key(String login) {
    return login.toLowerCase(Locale.ROOT);
  }

  /// Whether the last change of that kind is the one that the delivery assumes.
  private boolean isSo(GiteaIssue issue, Delivery delivery) throws Pages.Waits {
    var since =
        instant(delivery.meaning().substring(delivery.meaning().lastIndexOf(' ') + 1))
            .orElse(delivery.arrivedAt())
            .minus(SLACK);
    var isLabel = delivery.meaning().contains(GiteaPayloads.LABEL + " ");
    var changes =
        Pages.read(page -> api.timeline(issue, since, page), GiteaApi.PAGE, _ -> false).stream()
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
        && Json.text(event.path("assignee"), "login").filter(account::is).isPresent();
  }

  private static boolean isAdded(JsonNode event, boolean isLabel) {
    return isLabel
        ? Json.text(event, "body").equals(Optional.of("1"))
        : !event.path("removed_assignee").asBoolean();
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeException noTime) {
      return Optional.empty();
    }
  }
}
