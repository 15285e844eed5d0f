package dev.runnel.service.store;

import dev.runnel.database.Database;
import java.security.SecureRandom;
import java.util.HexFormat;

/// Secrets that all nodes share, created by the first node that needs them.
public final class ClusterSecrets {
  private static final int BYTES = 32;

  private ClusterSecrets() {}

  /// @return 32 random bytes, the same for each node and after each restart
  public static byte[] of(Database database, String name) {
    var bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    String stored =
        database.write(
            rows -> {
              rows.change(
                  "INSERT INTO shared_secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING",
                  name,
                  HexFormat.of().formatHex(bytes));
              return rows.first(
                      "SELECT value FROM shared_secrets WHERE name = ?",
                      row -> row.getString(1),
                      name)
                  .orElseThrow();
            });
    return HexFormat.of().parseHex(stored);
  }
}
