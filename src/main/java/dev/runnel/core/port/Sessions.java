package dev.runnel.core.port;

import java.time.Instant;

/// The console's sessions and its one-time sign-in links, shared by all nodes. Secrets are handed
/// out once and stored only as hashes.
public interface Sessions {
  /// Stores a session.
  void begin(String secret, Instant until);

  /// Whether the session with that secret exists and has not expired.
  boolean isOpen(String secret, Instant now);

  /// Ends the session; does nothing if there is none.
  void end(String secret);

  /// Ends all sessions and revokes all links.
  void endAll();

  /// Stores a sign-in link.
  void offer(String link, Instant until);

  /// Consumes a sign-in link.
  ///
  /// @return false if the link does not exist, was used or has expired
  boolean redeem(String link, Instant now);
}
