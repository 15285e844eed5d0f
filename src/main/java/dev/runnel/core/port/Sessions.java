package dev.runnel.core.port;

import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.RunId;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/// The console's sessions and its one-time sign-in links, shared by all nodes. Secrets are handed
/// out once and stored only as hashes.
public interface Sessions {
  /// Stores a session.
  void begin(String secret, Instant until);

  /// Stores a session of a person.
  void begin(String secret, Instant until, SignedInPerson person);

  /// The person of a session; empty for a session that a link or the token began, and for none.
  Optional<SignedInPerson> person(String secret, Instant now);

  /// The names that rules may use for a person, from their latest open session; empty if there is
  /// none.
  ///
  /// @param person the id
  Set<String> names(String person, Instant now);

  /// Whether the session with that secret exists and has not expired.
  boolean isOpen(String secret, Instant now);

  /// Ends the session; does nothing if there is none.
  void end(String secret);

  /// Ends all sessions and revokes all links, including those that show a run.
  void endAll();

  /// Stores an attempt to sign in, until the provider redirects the visitor back.
  ///
  /// @param state the secret that the redirect carries
  void expect(String state, Attempt attempt, Instant until);

  /// Consumes an attempt to sign in; empty if there is none, it was used, or it has expired.
  Optional<Attempt> take(String state, Instant now);

  /// An attempt to sign in with a provider.
  ///
  /// @param provider its id
  /// @param browser a hash of the secret in the browser's cookie
  /// @param to the path to open after the sign-in
  record Attempt(String provider, String browser, String nonce, String verifier, String to) {
    /// Leaves out the secrets.
    @Override
    public String toString() {
      return "Attempt[provider=" + provider + "]";
    }
  }

  /// Stores a link that shows one run to whoever has it.
  void share(String secret, RunId run, Instant until);

  /// The run of such a link; empty if there is none, or it has expired.
  Optional<RunId> shared(String secret, Instant now);

  /// Stores a sign-in link.
  void offer(String link, Instant until);

  /// Consumes a sign-in link.
  ///
  /// @return false if the link does not exist, was used or has expired
  boolean redeem(String link, Instant now);
}
