package dev.runnel.core.port;

import dev.runnel.core.model.conversation.SignedInPerson;
import java.net.URI;

/// A service that says who a visitor of the console is, by OAuth 2.0 with PKCE.
public interface SignInProvider {
  /// As in the path: `slack`.
  String id();

  /// The display name: `Slack`.
  String name();

  /// What one sign-in consists of.
  ///
  /// @param nonce comes back in an ID token
  /// @param verifier the secret of PKCE, 43 to 128 characters
  /// @param callback where the provider sends the visitor
  record Exchange(String nonce, String verifier, URI callback) {
    /// Leaves out the secrets.
    @Override
    public String toString() {
      return "Exchange[callback=" + callback + "]";
    }
  }

  /// Where the visitor is asked. May call the provider.
  ///
  /// @throws Failed if the provider cannot be reached
  URI authorization(String state, Exchange exchange);

  /// Who the visitor is.
  ///
  /// @param code as the provider sent it with the visitor
  /// @throws Failed if the provider does not say it, or what it says is not valid
  SignedInPerson identify(String code, Exchange exchange);

  /// The visitor could not be identified. The message is a sentence for the log, without secrets.
  final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Failed(String message) {
      super(message);
    }
  }
}
