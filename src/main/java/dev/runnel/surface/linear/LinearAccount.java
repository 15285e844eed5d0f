package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The account that our token belongs to, looked up once and then cached. Thread-safe.
///
/// Until it is known, no assignment counts as the bot's; the poll for missed deliveries finds those
/// later.
final class LinearAccount {
  private record Known(String id, String name, boolean app, boolean agent) {}

  private final LinearApi api;
  private volatile @Nullable Known known;

  LinearAccount(LinearApi api) {
    this.api = api;
  }

  /// Looks up the account, unless it is known. May block.
  void learn() {
    if (known == null && api.viewer() instanceof ApiResult.Done(var viewer)) {
      Json.text(viewer, "id").ifPresent(id -> known = known(id, viewer));
    }
  }

  private static Known known(String id, JsonNode viewer) {
    return new Known(
        id,
        Json.text(viewer, "displayName").orElse(id),
        viewer.path("app").asBoolean(),
        viewer.path("supportsAgentSessions").asBoolean());
  }

  boolean isKnown() {
    return known != null;
  }

  boolean is(Optional<String> user) {
    var account = known;
    return account != null && user.filter(account.id()::equals).isPresent();
  }

  /// Whether a post with our marker may be the bot's; true while the account is unknown.
  boolean mayBe(Optional<String> user) {
    return known == null || is(user);
  }

  /// Whether it is the account of an app, whose comments are all ours. A personal token is shared
  /// with its owner.
  boolean isApp(String user) {
    var account = known;
    return account != null && account.app() && account.id().equals(user);
  }

  /// Whether Linear opens an agent session when a user mentions the account or delegates to it.
  boolean hasSessions() {
    var account = known;
    return account != null && account.agent();
  }

  /// Whether Linear, too, takes a mention of this word, `@agent`, as a mention of the account.
  boolean hasSessionsAs(String word) {
    var account = known;
    return account != null && account.agent() && account.name().equalsIgnoreCase(word);
  }
}
