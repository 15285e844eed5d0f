package dev.runnel.core.port;

import java.time.Instant;

/// Who is signed in at the console, and the links that sign somebody in, once. All nodes share
/// them. The secrets are given out once and kept as hashes only.
public interface Sessions {
  /// Keeps a session.
  void begin(String secret, Instant until);

  /// Whether somebody is signed in with that secret.
  boolean isOpen(String secret, Instant now);

  /// Ends the session; nothing happens where there is none.
  void end(String secret);

  /// Ends all sessions, and takes back all links.
  void endAll();

  /// Keeps a link.
  void offer(String link, Instant until);

  /// Uses a link up.
  ///
  /// @return false when there is no such link, or it was used, or is too old
  boolean redeem(String link, Instant now);
}
