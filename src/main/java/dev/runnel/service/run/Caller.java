package dev.runnel.service.run;

import dev.runnel.wire.UserInfo;
import java.util.Map;

/// Who makes a request, as identified by the API key.
///
/// @param uid the uid of the service account that stands for the key
public record Caller(String uid, String name, Scope scope) {
  /// The holder of the main key.
  public static final Caller MAIN = new Caller("runnel", "Runnel", new Scope.All());

  /// What a key permits.
  public sealed interface Scope {
    /// Everything, keys included.
    record All() implements Scope {}

    /// Everything except managing keys.
    record Runs() implements Scope {}

    /// Read requests only.
    record Reading() implements Scope {}

    /// Starting and controlling runs below this one, while this one is executing.
    record Below(String runId) implements Scope {}
  }

  public UserInfo info() {
    return new UserInfo("service_account", uid, name, null, null, Map.of());
  }
}
