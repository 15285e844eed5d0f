package dev.runnel.surface.slack.install;

import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.TokenCheck;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The workspaces we are in: one, by a token from the settings ([OneWorkspace]), or those that
/// installed the app ([InstalledWorkspaces]).
///
/// @implSpec Thread-safe.
public interface SlackWorkspaces {
  /// Learns who we are, where that can be learned now.
  void learn();

  /// Whether Slack answers, and accepts the token from the settings where there is one.
  ///
  /// @throws dev.runnel.core.port.CredentialRefused when it does not accept it
  boolean isAvailable();

  /// Who we are in a workspace, as far as that is known. Answers at once.
  ///
  /// @param team empty where a request names none: who we are in the only workspace
  Optional<SlackIdentity> known(String team);

  /// What talks with a workspace. It may take a moment, to learn who we are there, or to renew a
  /// token. Where the workspace cannot be talked with, its calls answer why.
  SlackWorkspace of(String team);

  /// A workspace took the app away. Answers at once.
  ///
  /// @param at when, as Slack says
  void left(String team, Instant at);

  /// Words for an error that has to do with the token.
  ///
  /// @return empty when it has not, or needs no other words than usual
  Optional<String> refusal(String error);

  /// In short, for the operator: ` in 2 workspaces`; may be empty.
  String summary();

  /// Asks Slack in each workspace whether the token is good.
  List<TokenCheck> check();
}
