package dev.runnel.surface.kit;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;

/// Secrets that a sender repeats instead of signing with them; all valid at once.
public record SharedSecrets(List<String> secrets) {
  public SharedSecrets {
    secrets = List.copyOf(secrets);
  }

  /// Compares with every secret, each in constant time.
  public boolean contain(String claimed) {
    var bytes = claimed.getBytes(StandardCharsets.UTF_8);
    return secrets.stream()
            .filter(each -> MessageDigest.isEqual(bytes, each.getBytes(StandardCharsets.UTF_8)))
            .count()
        > 0;
  }

  /// Omits the secrets.
  @Override
  public String toString() {
    return "SharedSecrets[" + secrets.size() + " secrets]";
  }
}
