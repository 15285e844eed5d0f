package dev.runnel.surface.slack.install;

import dev.runnel.core.port.CredentialRefused;
import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.slack.api.SlackAccount;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The single workspace of the bot token from the settings. Every request is assumed to come from
/// it.
public final class OneWorkspace implements SlackWorkspaces {
  private static final Logger log = LoggerFactory.getLogger(OneWorkspace.class);

  /// Error codes that Slack returns to every call with an invalid token.
  private static final Set<String> TOKEN_ERRORS =
      Set.of(
          "invalid_auth",
          "not_authed",
          "account_inactive",
          "token_revoked",
          "token_expired",
          "org_login_required");

  private final SlackConfig config;
  private final SlackApi api;
  private final SlackWorkspace workspace;
  private volatile @Nullable SlackIdentity identity;

  /// @param api uses the token from the settings
  /// @param newWorkspace creates the workspace's clients from its API
  public OneWorkspace(
      SlackConfig config, SlackApi api, Function<SlackApi, SlackWorkspace> newWorkspace) {
    this.config = config;
    this.api = api;
    workspace = newWorkspace.apply(api.withErrors(OneWorkspace::mapError));
  }

  private static SlackResponse<?> mapError(String error) {
    if (TOKEN_ERRORS.contains(error)) {
      throw new CredentialRefused(tokenRefusal(error));
    }
    return new SlackResponse.No<>(error);
  }

  private static String tokenRefusal(String error) {
    return "Slack does not accept the bot token (%s). Put the bot token of the installed app into SLACK_BOT_TOKEN."
        .formatted(error);
  }

  @Override
  public void learn() {
    if (identity != null) {
      return;
    }
    switch (api.identity()) {
      case SlackResponse.Ok<SlackIdentity>(SlackIdentity found) -> {
        identity = found;
        log.info("slack connected team={} user={}", found.team(), found.userId());
      }
      case SlackResponse.Wait<SlackIdentity>(_, String why) ->
          log.warn("slack unreachable, will retry why=\"{}\"", why);
      case SlackResponse.No<SlackIdentity>(String error) ->
          log.error("slack refused the bot token why=\"{}\"", tokenRefusal(error));
    }
  }

  @Override
  public boolean isAvailable() {
    return workspace.api().identity() instanceof SlackResponse.Ok;
  }

  @Override
  public Optional<SlackIdentity> known(String team) {
    return Optional.ofNullable(identity);
  }

  @Override
  public SlackWorkspace of(String team) {
    learn();
    return workspace;
  }

  /// Only logs: the token belongs to the operator, and Slack refuses it from now on.
  @Override
  public void uninstalled(String team, Instant at) {
    log.warn("slack app uninstalled from its workspace team={}", team);
  }

  @Override
  public Optional<String> refusal(String error) {
    return Optional.empty();
  }

  @Override
  public String summary() {
    return "";
  }

  @Override
  public List<ConnectionCheck> check() {
    return List.of(
        switch (api.identity()) {
          case SlackResponse.Ok<SlackIdentity>(SlackIdentity found) -> checked(found);
          case SlackResponse.Wait<SlackIdentity>(_, String why) ->
              ConnectionCheck.problem(
                  "cannot be reached (" + why + "). Check SLACK_API_URL and the network.");
          case SlackResponse.No<SlackIdentity>(String error) ->
              ConnectionCheck.problem(
                  "Slack refuses the token ("
                      + error
                      + "). Put the bot token of the installed app into SLACK_BOT_TOKEN.");
        });
  }

  private ConnectionCheck checked(SlackIdentity found) {
    if (!config.accepts(found.team())) {
      return ConnectionCheck.problem(
          "the token is of the workspace %1$s, which is not among the accepted ones. Add %1$s to policy.installations.slack."
              .formatted(found.team()));
    }
    return workspace.api().account(found.userId())
            instanceof SlackResponse.No<SlackAccount>(String error)
        ? ConnectionCheck.problem(
            "Slack does not return user accounts ("
                + error
                + "), so nobody can use Runnel. Add the scope users:read to the app, and install it"
                + " again.")
        : ConnectionCheck.OK;
  }
}
