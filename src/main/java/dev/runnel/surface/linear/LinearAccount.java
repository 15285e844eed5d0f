package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The account that our token belongs to, asked for once and then known. Thread-safe.
///
/// Until it is known, nothing counts as assigned to it; catching up makes good for that.
final class LinearAccount {
  private record Known(String id, String name, boolean app, boolean agent) {}

  private final LinearApi api;
  private volatile @Nullable Known known;

  LinearAccount(LinearApi api) {
    this.api = api;
  }

  /// Asks, unless it is known. May call out.
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

  boolean is(Optional<String> user) {
    var account = known;
    return account != null && user.filter(account.id()::equals).isPresent();
  }

  /// Whether a post with our marker may be ours. While the account is not known, it may.
  boolean mayBe(Optional<String> user) {
    return known == null || is(user);
  }

  /// Whether it is an app, whose comments are all ours. A person may lend us a token.
  boolean isApp(String user) {
    var account = known;
    return account != null && account.app() && account.id().equals(user);
  }

  /// Whether Linear opens an agent session where somebody mentions it or delegates to it.
  boolean hasSessions() {
    var account = known;
    return account != null && account.agent();
  }

  /// Whether a mention by this word, `@agent`, is one of it for Linear too.
  boolean hasSessionsAs(String word) {
    var account = known;
    return account != null && account.agent() && account.name().equalsIgnoreCase(word);
  }
}
