package dev.runnel.surface.slack.install;

import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.slack.model.SlackIdentity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// The workspaces to serve: one, by a token from the settings ([OneWorkspace]), or those that
/// installed the app ([InstalledWorkspaces]).
///
/// @implSpec Thread-safe.
public interface SlackWorkspaces {
  /// Looks up the bot's identity, as far as possible now.
  void learn();

  /// Whether Slack responds, and accepts the token from the settings if there is one.
  ///
  /// @throws dev.runnel.core.port.CredentialRefused when Slack rejects the token
  boolean isAvailable();

  /// The bot's identity in a workspace, if known. Returns at once.
  ///
  /// @param team empty when a request names none: the identity in the only workspace
  Optional<SlackIdentity> known(String team);

  /// The clients of a workspace. May block to look up the identity or refresh a token. If the
  /// workspace cannot be reached, every call of the clients returns the reason.
  SlackWorkspace of(String team);

  /// Handles an uninstallation. Returns at once.
  ///
  /// @param at when it happened, by Slack's clock
  void uninstalled(String team, Instant at);

  /// A message for an error that concerns the token.
  ///
  /// @return empty when it does not concern the token, or the usual message is enough
  Optional<String> refusal(String error);

  /// A short summary for the operator: ` in 2 workspaces`; may be empty.
  String summary();

  /// Asks Slack in each workspace whether the token is valid.
  List<ConnectionCheck> check();
}
