package dev.runnel.surface.github;

/// As whom Runnel calls GitHub.
sealed interface GitHubIdentity {
  /// An account, by its token.
  record Token(String token) implements GitHubIdentity {
    /// Never the token.
    @Override
    public String toString() {
      return "Token";
    }
  }

  /// A GitHub App, which has a token for each installation.
  record App(AppKey key) implements GitHubIdentity {}

  /// Where the settings have it, for what to do.
  default String setting() {
    return switch (this) {
      case Token _ -> GitHubConfig.TOKEN;
      case App _ -> "the GitHub App of " + GitHubConfig.APP_ID;
    };
  }
}
