package dev.runnel.core.port;

import dev.runnel.core.model.conversation.SignedInPerson;
import java.net.URI;

/// An identity provider for the console, by OAuth 2.0 with PKCE.
public interface SignInProvider {
  /// As in the path: `slack`.
  String id();

  /// The display name: `Slack`.
  String name();

  /// The parameters of one sign-in.
  ///
  /// @param nonce the ID token contains it
  /// @param verifier the PKCE code verifier, 43 to 128 characters
  /// @param callback the redirect URI
  record Exchange(String nonce, String verifier, URI callback) {
    /// Leaves out the secrets.
    @Override
    public String toString() {
      return "Exchange[callback=" + callback + "]";
    }
  }

  /// The authorization URL to redirect the visitor to. May call the provider.
  ///
  /// @throws Failed if the provider cannot be reached
  URI authorization(String state, Exchange exchange);

  /// Identifies the visitor.
  ///
  /// @param code the authorization code of the redirect
  /// @throws Failed if the provider does not identify the visitor, or its response is not valid
  SignedInPerson identify(String code, Exchange exchange);

  /// The visitor could not be identified. The message is a sentence for the log, without secrets.
  final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1;

    public Failed(String message) {
      super(message);
    }
  }
}
