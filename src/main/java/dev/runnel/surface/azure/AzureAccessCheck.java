package dev.runnel.surface.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.PagedReader;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Decides who may start and steer runs: the people that the settings list or, if they list none,
/// the members of the project's teams. Services may only stop runs, by changing the work item.
///
/// A service hook is not signed, and names the sender of a comment by a text that contains the
/// display name, which people choose. So it is not trusted: the comment or the change is read from
/// Azure DevOps.
final class AzureAccessCheck {
  private static final Logger log = LoggerFactory.getLogger(AzureAccessCheck.class);
  private static final Pattern CHANGE =
      Pattern.compile("^.*" + AzurePayloads.UPDATE + "(?<number>[0-9]{1,18})");
  private static final int MAX_CHANGES = 64;

  private final AzureApi api;
  private final AzurePayloads payloads;
  private final Set<String> access;

  /// A change is immutable, and both the admission and the background of a request need it.
  private final Map<Change, JsonNode> changes = BoundedCaches.map(MAX_CHANGES);

  AzureAccessCheck(AzureApi api, AzurePayloads payloads, Set<String> access) {
    this.api = api;
    this.payloads = payloads;
    this.access = access;
  }

  Admission admit(WorkItem item, Delivery delivery) {
    var isStop = !delivery.addressed() && delivery.intent() instanceof Intent.Cancel;
    if (!delivery.addressed() && !isStop) {
      return Admission.ADMITTED;
    }
    if (!isBySender(item, delivery)) {
      // A deleted item has no changes, and a run cannot work on it, whoever deleted it.
      if (isStop && api.item(item).isGone()) {
        return Admission.ADMITTED;
      }
      return new Admission.TurnedAway("Azure DevOps shows no such comment or change by the sender");
    }
    return permitted(item).test(delivery.actor().id()) || (isStop && isByService(item, delivery))
        ? Admission.ADMITTED
        : new Admission.Outsider("the sender is not in a team of the project, or is not listed");
  }

  /// Whether Azure DevOps shows that the sender wrote the comment or made the change. Also true for
  /// a delivery that is neither, such as one of a schedule, because no service hook brought it.
  private boolean isBySender(WorkItem item, Delivery delivery) {
    var comment = delivery.origin().message();
    if (comment.isPresent()) {
      return found(api.comment(item, comment.get()))
          .filter(it -> payloads.addresses(it.path("text").asText()))
          .flatMap(it -> Identity.of(it.path("createdBy")))
          .filter(author -> !api.isOurs(author) && isSender(author, delivery))
          .isPresent();
    }
    return !CHANGE.matcher(delivery.meaning()).matches()
        || verified(item, delivery).filter(change -> isSame(change, delivery)).isPresent();
  }

  /// Whether a service made the change, such as a build or the app on GitHub that closes the work
  /// item of a merged pull request. That stops the run, because only admins add services.
  private boolean isByService(WorkItem item, Delivery delivery) {
    return change(item, delivery)
        .flatMap(payload -> Identity.of(payload.path("resource").path("revisedBy")))
        .filter(Identity::isService)
        .isPresent();
  }

  private static boolean isSame(Delivery change, Delivery delivery) {
    return change.meaning().equals(delivery.meaning())
        && change.actor().id().equals(delivery.actor().id())
        && (change.intent().equals(delivery.intent())
            || !(delivery.intent() instanceof Intent.Start));
  }

  /// The delivery that the change in the delivery's semantic key has according to Azure DevOps,
  /// with the work item at that time.
  ///
  /// @return empty if the key names no change, or the change does not concern Runnel
  Optional<Delivery> verified(WorkItem item, Delivery delivery) {
    return change(item, delivery)
        .flatMap(payload -> payloads.read(delivery.id(), payload, delivery.arrivedAt()));
  }

  private Optional<JsonNode> change(WorkItem item, Delivery delivery) {
    var change = CHANGE.matcher(delivery.meaning());
    if (!change.matches()) {
      return Optional.empty();
    }
    var wanted = new Change(item, Long.parseLong(change.group("number")));
    var known = Optional.ofNullable(changes.get(wanted)).or(() -> fetch(wanted));
    known.ifPresent(payload -> changes.put(wanted, payload));
    return known;
  }

  private Optional<JsonNode> fetch(Change change) {
    return found(api.update(change.item(), change.number()))
        .flatMap(
            update ->
                Json.id(update, "rev")
                    .flatMap(revision -> found(api.revision(change.item(), revision)))
                    .map(then -> AzureMissedDeliveries.updated(then, update)));
  }

  private static boolean isSender(Identity author, Delivery delivery) {
    return author.uniqueName().equals(delivery.actor().id());
  }

  private static Optional<JsonNode> found(ApiResult result) {
    if (result instanceof ApiResult.Refused(var why)) {
      log.error("access cannot be checked, nobody may start runs why={}", why);
    }
    return result.found();
  }

  /// Whether a person, by unique name, may start and steer runs. Caches its look-ups.
  Predicate<String> permitted(WorkItem item) {
    return access.isEmpty() ? new Members(api, item)::contain : access::contains;
  }

  private record Change(WorkItem item, long number) {}

  /// The members of a project's teams, looked up one team after the other, as far as necessary.
  private static final class Members {
    private final AzureApi api;
    private final WorkItem item;
    private final Set<String> found = new HashSet<>();
    private @Nullable Iterator<JsonNode> teams;

    Members(AzureApi api, WorkItem item) {
      this.api = api;
      this.item = item;
    }

    boolean contain(String person) {
      var left = teams();
      while (!found.contains(person) && left.hasNext()) {
        Json.text(left.next(), "id").ifPresent(this::add);
      }
      return found.contains(person);
    }

    private Iterator<JsonNode> teams() {
      if (teams == null) {
        teams =
            PagedReader.read(page -> api.teams(item, page), AzureApi.PAGE, _ -> false).iterator();
      }
      return teams;
    }

    private void add(String team) {
      PagedReader.read(page -> api.members(item, team, page), AzureApi.PAGE, _ -> false).stream()
          .map(member -> member.path("identity"))
          .filter(identity -> !identity.path("isContainer").asBoolean())
          .flatMap(identity -> Identity.of(identity).stream())
          .map(Identity::uniqueName)
          .forEach(found::add);
    }
  }
}
