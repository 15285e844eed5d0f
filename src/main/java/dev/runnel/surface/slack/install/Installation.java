package dev.runnel.surface.slack.install;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.slack.api.SlackGrant;
import dev.runnel.surface.slack.model.SlackIdentity;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/// The app's installation in one workspace: the bot's identity and its token.
///
/// @param name the workspace's display name
/// @param renewal empty when token rotation is off
/// @param scopes the granted scopes
record Installation(
    SlackIdentity identity,
    String name,
    String token,
    Optional<Renewal> renewal,
    Set<String> scopes) {
  /// @param at when the token is due for a refresh
  /// @param expiresAt when the token stops working
  record Renewal(String refreshToken, Instant at, Instant expiresAt) {
    static Renewal of(String refreshToken, Duration life, Instant now) {
      var early =
          life.dividedBy(4).compareTo(REFRESH_BEFORE_EXPIRY) < 0
              ? life.dividedBy(4)
              : REFRESH_BEFORE_EXPIRY;
      var expiresAt = now.plus(life);
      return new Renewal(refreshToken, expiresAt.minus(early), expiresAt);
    }

    /// Omits the token.
    @Override
    public String toString() {
      return "Renewal[at=" + at + "]";
    }
  }

  /// For a token valid for twelve hours. A failed refresh leaves this much time to retry.
  private static final Duration REFRESH_BEFORE_EXPIRY = Duration.ofHours(2);

  private static final JsonMapper JSON = BoundedJson.mapper().build();

  Installation {
    scopes = Set.copyOf(scopes);
  }

  static Installation of(SlackGrant grant, SlackIdentity identity, Instant now) {
    return new Installation(
        identity,
        grant.teamName().isBlank() ? grant.team() : grant.teamName(),
        grant.token(),
        renewal(grant, now),
        grant.scopes());
  }

  Installation renewed(SlackGrant grant, Instant now) {
    return new Installation(
        identity,
        name,
        grant.token(),
        renewal(grant, now),
        grant.scopes().isEmpty() ? scopes : grant.scopes());
  }

  private static Optional<Renewal> renewal(SlackGrant grant, Instant now) {
    return grant
        .refreshToken()
        .flatMap(token -> grant.expiresIn().map(life -> Renewal.of(token, life, now)));
  }

  String team() {
    return identity.team();
  }

  boolean isDue(Instant now) {
    return renewal.filter(it -> !now.isBefore(it.at())).isPresent();
  }

  boolean isExpired(Instant now) {
    return renewal.filter(it -> !now.isBefore(it.expiresAt())).isPresent();
  }

  /// The plain text to encrypt.
  String json() {
    var json =
        JSON.createObjectNode()
            .put("team", identity.team())
            .put("user", identity.userId())
            .put("bot", identity.botId())
            .put("user_name", identity.userName())
            .put("name", name)
            .put("token", token);
    identity.workspace().ifPresent(it -> json.put("workspace", it.toString()));
    renewal.ifPresent(
        it ->
            json.put("refresh_token", it.refreshToken())
                .put("renew_at", it.at().toEpochMilli())
                .put("expires_at", it.expiresAt().toEpochMilli()));
    var granted = json.putArray("scopes");
    scopes.stream().sorted().forEach(granted::add);
    return json.toString();
  }

  /// @return empty when the text is not an installation
  static Optional<Installation> parse(String text) {
    try {
      var json = JSON.readTree(text);
      return json.path("token").isTextual() && json.path("team").isTextual()
          ? Optional.of(read(json))
          : Optional.empty();
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static Installation read(JsonNode json) {
    return new Installation(
        new SlackIdentity(
            json.path("team").asText(),
            json.path("user").asText(),
            json.path("bot").asText(),
            json.path("user_name").asText(),
            text(json, "workspace").map(URI::create)),
        json.path("name").asText(),
        json.path("token").asText(),
        text(json, "refresh_token")
            .map(
                it ->
                    new Renewal(
                        it,
                        Instant.ofEpochMilli(json.path("renew_at").asLong()),
                        Instant.ofEpochMilli(json.path("expires_at").asLong()))),
        json.path("scopes").valueStream().map(JsonNode::asText).collect(Collectors.toSet()));
  }

  private static Optional<String> text(JsonNode json, String field) {
    return Optional.of(json.path(field).asText()).filter(it -> !it.isEmpty());
  }

  /// Omits the tokens.
  @Override
  public String toString() {
    return "Installation[team=" + team() + ", tokens withheld]";
  }
}
