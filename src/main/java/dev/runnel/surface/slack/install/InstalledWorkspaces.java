package dev.runnel.surface.slack.install;

import dev.runnel.surface.ConnectionCheck;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackGrant;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackClient;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.threads.SupervisedThread;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The workspaces that installed the app, stored in rows that all nodes share.
///
/// Data that is needed before an acknowledgement is in memory. While a workspace is in use, its row
/// is read again every 30 seconds, and its token is refreshed when due, by the node that claims the
/// row first. Other nodes use the old token, which Slack accepts until it expires.
public final class InstalledWorkspaces implements SlackWorkspaces {
  public static final String NOT_INSTALLED = "not_installed";
  static final String UNREADABLE = "installation_unreadable";

  private static final Logger log = LoggerFactory.getLogger(InstalledWorkspaces.class);
  private static final Duration MAX_AGE = Duration.ofSeconds(30);

  /// Longer than any call to Slack takes.
  private static final Duration CLAIM = Duration.ofMinutes(1);

  /// Slack refused the refresh, but the token still works for a while, in which somebody may
  /// reinstall the app.
  private static final Duration RETRY_AFTER_REFUSAL = Duration.ofMinutes(10);

  private static final Duration RETRY_SOON = Duration.ofSeconds(3);

  /// Error codes that mean the app was uninstalled.
  private static final Set<String> UNINSTALLED_ERRORS = Set.of("account_inactive", "token_revoked");

  private static final Set<String> TOKEN_ERRORS =
      Set.of(
          NOT_INSTALLED,
          UNREADABLE,
          "account_inactive",
          "token_revoked",
          "token_expired",
          "invalid_auth",
          "not_authed",
          "not_allowed_token_type",
          "invalid_refresh_token",
          "missing_scope",
          "no_permission");

  private final SlackConfig config;
  private final SlackClient client;
  private final InstallationRows rows;
  private final TokenCipher tokenCipher;
  private final SlackApi root;
  private final Function<SlackApi, SlackWorkspace> newWorkspace;
  private final String installUrl;
  private final InstantSource clock;
  private final Map<String, CachedInstallation> cache = new ConcurrentHashMap<>();

  /// @param root the API without a workspace's token
  /// @param newWorkspace creates a workspace's clients from its API
  /// @param installUrl where people install the app
  public InstalledWorkspaces(
      SlackConfig config,
      SlackClient client,
      InstallationRows rows,
      SlackApi root,
      Function<SlackApi, SlackWorkspace> newWorkspace,
      String installUrl,
      InstantSource clock) {
    this.config = config;
    this.client = client;
    this.rows = rows;
    this.root = root;
    this.newWorkspace = newWorkspace;
    this.installUrl = installUrl;
    this.clock = clock;
    tokenCipher = new TokenCipher(client.secrets(), "runnel: tokens of slack workspaces");
  }

  /// @param version of the row
  /// @param readAt when the row was read
  /// @param saved whether the row has this token; one refreshed while the database was down exists
  ///   only in memory
  private record CachedInstallation(
      Installation installation,
      long version,
      Instant readAt,
      boolean saved,
      SlackWorkspace workspace) {
    boolean isStale(Instant now) {
      return saved && !now.isBefore(readAt.plus(MAX_AGE));
    }
  }

  @Override
  public void learn() {
    try {
      for (var row : rows.all()) {
        var read = read(row);
        if (read.isEmpty()) {
          log.error("slack installation unreadable, reinstall the app team={}", row.team());
        }
      }
    } catch (SQLException e) {
      log.warn("slack installations not loaded, will retry why={}", e.toString());
    }
  }

  /// Any response counts as available, because each workspace has its own token.
  @Override
  public boolean isAvailable() {
    return !(root.identity() instanceof SlackResponse.Wait);
  }

  @Override
  public Optional<SlackIdentity> known(String team) {
    return Optional.ofNullable(cache.get(team)).map(it -> it.installation().identity());
  }

  @Override
  public SlackWorkspace of(String team) {
    var slackResponse = current(team);
    return slackResponse instanceof SlackResponse.Ok<CachedInstallation>(CachedInstallation found)
        ? found.workspace()
        : newWorkspace.apply(root.unavailable(slackResponse));
  }

  private SlackResponse<CachedInstallation> current(String team) {
    var now = clock.instant();
    var known = cache.get(team);
    if (known != null && !known.saved()) {
      var saved = save(known.installation(), known.version(), now);
      if (!(saved instanceof SlackResponse.Ok<CachedInstallation>(CachedInstallation found))) {
        return saved;
      }
      known = found;
    }
    if (known == null || known.isStale(now)) {
      var read = read(team);
      if (read instanceof SlackResponse.Ok<CachedInstallation>(CachedInstallation found)) {
        known = found;
      } else if (known == null || read instanceof SlackResponse.No<CachedInstallation>) {
        return read;
      }
    }
    return known.installation().isDue(now) ? renew(known, now) : new SlackResponse.Ok<>(known);
  }

  private SlackResponse<CachedInstallation> read(String team) {
    try {
      var row = rows.of(team);
      if (row.isEmpty()) {
        cache.remove(team);
        return new SlackResponse.No<>(NOT_INSTALLED);
      }
      return read(row.get())
          .<SlackResponse<CachedInstallation>>map(SlackResponse.Ok::new)
          .orElseGet(() -> new SlackResponse.No<>(UNREADABLE));
    } catch (SQLException e) {
      log.warn("slack installation not loaded team={} why={}", team, e.toString());
      return new SlackResponse.Wait<>(Optional.empty(), "the database does not respond");
    }
  }

  private Optional<CachedInstallation> read(InstallationRows.Row row) {
    var decrypted = tokenCipher.decrypt(row.encrypted(), row.team());
    var installation = decrypted.flatMap(it -> Installation.parse(it.text()));
    if (installation.isEmpty()) {
      cache.remove(row.team());
      return Optional.empty();
    }
    if (!decrypted.get().current()) {
      reencrypt(row, installation.get());
    }
    return Optional.of(cache(installation.get(), row.version(), true));
  }

  /// Encrypts with the current secret, before the old one is removed from the settings.
  private void reencrypt(InstallationRows.Row row, Installation installation) {
    try {
      rows.reencrypt(row, encrypted(installation));
      log.info("slack tokens encrypted with the new client secret team={}", row.team());
    } catch (SQLException e) {
      log.warn(
          "slack tokens not encrypted with the new client secret team={} why={}",
          row.team(),
          e.toString());
    }
  }

  private String encrypted(Installation installation) {
    return tokenCipher.encrypt(installation.json(), installation.team());
  }

  private CachedInstallation cache(Installation installation, long version, boolean saved) {
    var before = cache.get(installation.team());
    var workspace =
        before != null && before.installation().token().equals(installation.token())
            ? before.workspace()
            : newWorkspace.apply(
                root.with(
                    installation.token(),
                    error -> mapError(installation.team(), installation.token(), error)));
    var now = new CachedInstallation(installation, version, clock.instant(), saved, workspace);
    cache.put(installation.team(), now);
    return now;
  }

  private SlackResponse<CachedInstallation> renew(CachedInstallation known, Instant now) {
    var team = known.installation().team();
    var refreshToken = known.installation().renewal().orElseThrow().refreshToken();
    try {
      if (!rows.claim(team, known.version(), now, now.plus(CLAIM))) {
        return read(team) instanceof SlackResponse.Ok<CachedInstallation>(CachedInstallation stored)
            ? currentToken(stored, now)
            : currentToken(known, now);
      }
    } catch (SQLException e) {
      return currentToken(known, now);
    }
    return switch (root.renew(client, refreshToken)) {
      case SlackResponse.Ok<SlackGrant>(SlackGrant grant) -> {
        log.info("slack token refreshed team={}", team);
        yield save(known.installation().renewed(grant, now), known.version(), now);
      }
      case SlackResponse.Wait<SlackGrant>(_, String why) -> {
        // If only the response was lost, Slack may not accept the refresh token again.
        log.warn("slack token not refreshed, will retry team={} why=\"{}\"", team, why);
        yield currentToken(known, now);
      }
      case SlackResponse.No<SlackGrant>(String error) -> refreshRefused(known, now, error);
    };
  }

  private SlackResponse<CachedInstallation> refreshRefused(
      CachedInstallation known, Instant now, String error) {
    var team = known.installation().team();
    if (read(team) instanceof SlackResponse.Ok<CachedInstallation>(CachedInstallation stored)
        && stored.version() != known.version()) {
      return currentToken(stored, now);
    }
    log.error("slack refused to refresh a token, reinstall the app team={} error={}", team, error);
    if (known.installation().isExpired(now)) {
      return new SlackResponse.No<>(error);
    }
    try {
      var until = now.plus(RETRY_AFTER_REFUSAL);
      var _ = rows.claim(team, known.version(), now.plus(CLAIM), until);
    } catch (SQLException e) {
      log.debug("slack refresh claim not extended team={}", team);
    }
    return new SlackResponse.Ok<>(known);
  }

  /// The current token, as long as it works.
  private static SlackResponse<CachedInstallation> currentToken(
      CachedInstallation known, Instant now) {
    return known.installation().isExpired(now)
        ? new SlackResponse.Wait<>(
            Optional.of(RETRY_SOON), "the token of the workspace is being renewed")
        : new SlackResponse.Ok<>(known);
  }

  /// Stores refreshed tokens. If the database is down they are kept in memory and stored at the
  /// next call, because Slack does not issue them twice.
  private SlackResponse<CachedInstallation> save(
      Installation installation, long version, Instant now) {
    var team = installation.team();
    try {
      return rows.renew(team, version, encrypted(installation), now)
          ? new SlackResponse.Ok<>(cache(installation, version + 1, true))
          : read(team);
    } catch (SQLException e) {
      log.warn("slack token not saved, will retry team={} why={}", team, e.toString());
      return new SlackResponse.Ok<>(cache(installation, version, false));
    }
  }

  /// Maps an error code that a call with this token returned.
  private SlackResponse<?> mapError(String team, String token, String error) {
    if (!UNINSTALLED_ERRORS.contains(error) && !error.equals("token_expired")) {
      return new SlackResponse.No<>(error);
    }
    if (!(read(team) instanceof SlackResponse.Ok<CachedInstallation>(CachedInstallation now))) {
      return new SlackResponse.No<>(NOT_INSTALLED);
    }
    if (!now.installation().token().equals(token)) {
      return new SlackResponse.Wait<>(
          Optional.of(RETRY_SOON), "the token of the workspace was changed");
    }
    if (UNINSTALLED_ERRORS.contains(error)) {
      delete(team, now.version(), error);
      return new SlackResponse.No<>(NOT_INSTALLED);
    }
    return now.installation().renewal().isPresent()
            && renew(now, clock.instant()) instanceof SlackResponse.Ok<CachedInstallation>
        ? new SlackResponse.Wait<>(
            Optional.of(RETRY_SOON), "the token of the workspace was renewed")
        : new SlackResponse.No<>(error);
  }

  private void delete(String team, long version, String error) {
    try {
      if (rows.delete(team, version)) {
        cache.remove(team);
        log.warn("slack installation deleted team={} error={}", team, error);
      }
    } catch (SQLException e) {
      log.warn("slack installation not deleted team={} why={}", team, e.toString());
    }
  }

  /// Stores an installation that Slack has just granted.
  ///
  /// @throws SQLException when it cannot be stored; the app must be installed again
  void install(Installation installation) throws SQLException {
    rows.install(
        installation.team(), installation.name(), encrypted(installation), clock.instant());
    cache.remove(installation.team());
    log.info("slack app installed team={}", installation.team());
    var _ = read(installation.team());
  }

  /// If this fails, the error codes of later calls have the same effect.
  @Override
  public void uninstalled(String team, Instant at) {
    SupervisedThread.virtual(
        "slack-left",
        () -> {
          try {
            // Slack's time is in whole seconds. A later installation is kept.
            if (rows.delete(team, at.plusSeconds(1))) {
              log.info("slack app uninstalled team={}", team);
            }
            var _ = read(team);
          } catch (SQLException e) {
            log.warn("slack installation not deleted team={} why={}", team, e.toString());
          }
        },
        _ -> {});
  }

  @Override
  public Optional<String> refusal(String error) {
    return TOKEN_ERRORS.contains(error)
        ? Optional.of(
            switch (error) {
              case UNREADABLE ->
                  "The token of this Slack workspace can no longer be read. Install the app again: "
                      + installUrl;
              case "missing_scope", "no_permission" ->
                  "The Slack app lacks a permission here. Install it again: " + installUrl;
              default ->
                  "The Slack app is no longer installed in this workspace. Install it again: "
                      + installUrl;
            })
        : Optional.empty();
  }

  @Override
  public String summary() {
    if (config.installations().isEmpty()) {
      return ", but serves no workspace yet. Name the workspaces to serve:"
          + " policy.installations.slack: [T012AB]. Install it: "
          + installUrl;
    }
    var count = (int) cache.keySet().stream().filter(config::accepts).count();
    return switch (count) {
      case 0 -> ", in no workspace yet. Install it: " + installUrl;
      case 1 -> ", in 1 workspace. Install it in others: " + installUrl;
      default -> ", in " + count + " workspaces. Install it in others: " + installUrl;
    };
  }

  @Override
  public List<ConnectionCheck> check() {
    List<ConnectionCheck> lines = new ArrayList<>();
    if (config.installations().isEmpty()) {
      lines.add(
          ConnectionCheck.problem(
              "serves no workspace yet. Anybody may install the app, so name the workspaces that it"
                  + " is for: policy.installations.slack: [T012AB]."));
    }
    try {
      for (var row : rows.all()) {
        lines.add(check(row));
      }
    } catch (SQLException e) {
      return List.of(ConnectionCheck.problem("the workspaces cannot be read from the database."));
    }
    return lines.isEmpty()
        ? List.of(ConnectionCheck.ok("ok, in no workspace yet. Install it: " + installUrl))
        : lines;
  }

  private ConnectionCheck check(InstallationRows.Row row) {
    var name = "%s (%s)".formatted(row.name(), row.team());
    if (!config.accepts(row.team())) {
      return ConnectionCheck.ok(
          "%s: not served. To accept it, add %s to policy.installations.slack."
              .formatted(name, row.team()));
    }
    return switch (of(row.team()).api().identity()) {
      case SlackResponse.Ok<SlackIdentity> _ -> {
        var missing = missingScopes(row.team());
        yield missing.isEmpty()
            ? ConnectionCheck.ok(name + ": ok")
            : ConnectionCheck.problem(
                "%s: lacks permissions (%s). Install it again: %s"
                    .formatted(name, String.join(", ", missing), installUrl));
      }
      case SlackResponse.Wait<SlackIdentity>(_, String why) ->
          ConnectionCheck.problem(
              "%s: cannot be reached (%s). Try again in a minute.".formatted(name, why));
      case SlackResponse.No<SlackIdentity>(String error) ->
          ConnectionCheck.problem(
              "%s: its token does not work (%s). Install it again: %s"
                  .formatted(name, error, installUrl));
    };
  }

  private List<String> missingScopes(String team) {
    var granted = cache.get(team);
    return granted == null || granted.installation().scopes().isEmpty()
        ? List.of()
        : SlackScopes.needed().stream()
            .filter(scope -> !granted.installation().scopes().contains(scope))
            .toList();
  }
}
