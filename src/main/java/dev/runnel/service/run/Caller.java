package dev.runnel.service.run;

import dev.runnel.wire.UserInfo;
import java.util.Map;

/// Who makes a request, by their key.
///
/// @param uid of the account that stands for the key
public record Caller(String uid, String name, Scope scope) {
  /// The holder of the main key.
  public static final Caller MAIN = new Caller("runnel", "Runnel", new Scope.All());

  /// What a key is good for.
  public sealed interface Scope {
    /// Everything, keys included.
    record All() implements Scope {}

    /// Everything but keys.
    record Runs() implements Scope {}

    /// Reading only.
    record Reading() implements Scope {}

    /// Starting and steering runs below this one, for as long as it works.
    record Below(String runId) implements Scope {}
  }

  public UserInfo info() {
    return new UserInfo("service_account", uid, name, null, null, Map.of());
  }
}
