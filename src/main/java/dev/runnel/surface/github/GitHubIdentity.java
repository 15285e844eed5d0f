package dev.runnel.surface.github;

import dev.runnel.surface.kit.Credential;

/// The identity that Runnel calls GitHub with.
sealed interface GitHubIdentity {
  /// An account, by its personal access token.
  record Token(String token) implements GitHubIdentity {
    /// Omits the token.
    @Override
    public String toString() {
      return "Token";
    }
  }

  /// A GitHub App, which has a token for each installation.
  record App(AppKey key) implements GitHubIdentity {}

  /// The credential, described for people.
  default Credential credential() {
    return switch (this) {
      case Token _ -> Credential.token(GitHubConfig.TOKEN);
      case App _ ->
          new Credential(
              "the app",
              "the app of " + GitHubConfig.APP_ID,
              "Look at " + GitHubConfig.APP_ID + " and its private key.");
    };
  }
}
