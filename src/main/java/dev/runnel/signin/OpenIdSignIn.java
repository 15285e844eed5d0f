package dev.runnel.signin;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.port.SignInProvider;
import java.net.URI;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;

/// Sign-in by OpenID Connect, with the addresses from the provider's discovery document. The claims
/// come from the ID token and, where it is thin, from the userinfo endpoint.
public final class OpenIdSignIn implements SignInProvider {
  private static final String SLACK_TEAM = "https://slack.com/team_id";
  private static final String SLACK_USER = "https://slack.com/user_id";

  /// Only ASCII, because KELVIN SIGN and `K` have the same lower-case letter; without a colon, so
  /// that it cannot be the name of a group; and without a line break, which separates stored names.
  private static final Pattern ADDRESS =
      Pattern.compile("^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+");

  private final String id;
  private final String name;
  private final URI issuer;
  private final String clientId;
  private final String clientSecret;
  private final ProviderRequests requests;
  private final InstantSource clock;
  private final BiFunction<JsonNode, UserInfo, SignedInPerson> person;

  private OpenIdSignIn(
      String id,
      String name,
      URI issuer,
      String clientId,
      String clientSecret,
      OkHttpClient http,
      InstantSource clock,
      BiFunction<JsonNode, UserInfo, SignedInPerson> person) {
    this.id = id;
    this.name = name;
    this.issuer = issuer;
    this.clientId = clientId;
    this.clientSecret = clientSecret;
    this.requests = new ProviderRequests(http);
    this.clock = clock;
    this.person = person;
  }

  /// Slack, whose people are `slack:T012AB/U012345`.
  ///
  /// @param issuer `https://slack.com`
  public static OpenIdSignIn slack(
      URI issuer, String clientId, String clientSecret, OkHttpClient http, InstantSource clock) {
    return new OpenIdSignIn(
        "slack", "Slack", issuer, clientId, clientSecret, http, clock, OpenIdSignIn::slackPerson);
  }

  /// Any provider, whose people are `oidc:` and their verified address.
  public static OpenIdSignIn generic(
      URI issuer, String clientId, String clientSecret, OkHttpClient http, InstantSource clock) {
    return new OpenIdSignIn(
        "oidc",
        issuer.getHost(),
        issuer,
        clientId,
        clientSecret,
        http,
        clock,
        OpenIdSignIn::person);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public URI authorization(String state, Exchange exchange) {
    var discovery = discovery();
    var parameters = new LinkedHashMap<String, String>();
    parameters.put("response_type", "code");
    parameters.put("scope", scope(discovery));
    parameters.put("client_id", clientId);
    parameters.put("redirect_uri", exchange.callback().toString());
    parameters.put("state", state);
    parameters.put("nonce", exchange.nonce());
    parameters.put("code_challenge", ProviderRequests.challenge(exchange.verifier()));
    parameters.put("code_challenge_method", "S256");
    return ProviderRequests.with(address(discovery, "authorization_endpoint"), parameters);
  }

  /// Some providers send groups only for a scope of that name. Others refuse scopes that they do
  /// not know.
  private static String scope(JsonNode discovery) {
    for (var known : discovery.path("scopes_supported")) {
      if (known.asText().equals("groups")) {
        return "openid profile email groups";
      }
    }
    return "openid profile email";
  }

  @Override
  public SignedInPerson identify(String code, Exchange exchange) {
    var discovery = discovery();
    var fields = new LinkedHashMap<String, String>();
    fields.put("grant_type", "authorization_code");
    fields.put("code", code);
    fields.put("redirect_uri", exchange.callback().toString());
    fields.put("client_id", clientId);
    fields.put("client_secret", clientSecret);
    fields.put("code_verifier", exchange.verifier());
    var tokens = requests.post(address(discovery, "token_endpoint"), fields);
    var claims =
        IdToken.check(
            ProviderRequests.text(tokens, "id_token"),
            requests.get(address(discovery, "jwks_uri")),
            new IdToken.Expected(
                ProviderRequests.text(discovery, "issuer"),
                clientId,
                exchange.nonce(),
                clock.instant()));
    return person.apply(
        claims,
        new UserInfo(
            issuer.getHost(),
            discovery.hasNonNull("userinfo_endpoint"),
            () ->
                requests.getAs(
                    ProviderRequests.text(tokens, "access_token"),
                    address(discovery, "userinfo_endpoint"))));
  }

  private JsonNode discovery() {
    var base = issuer.toString().replaceAll("(?<!/)/+$", "");
    var discovery = requests.get(URI.create(base + "/.well-known/openid-configuration"));
    if (!ProviderRequests.text(discovery, "issuer").replaceAll("(?<!/)/+$", "").equals(base)) {
      throw new Failed("The provider at " + issuer.getHost() + " reports another issuer");
    }
    return discovery;
  }

  /// If the issuer uses HTTPS, no secret is sent without it.
  private URI address(JsonNode discovery, String member) {
    try {
      var address = URI.create(ProviderRequests.text(discovery, member));
      var isProtected = "https".equalsIgnoreCase(address.getScheme());
      if ((isProtected || issuer.getScheme().equalsIgnoreCase(address.getScheme()))
          && address.getHost() != null) {
        return address;
      }
    } catch (IllegalArgumentException malformed) {
      // Reported below.
    }
    throw new Failed("The provider has no valid " + member);
  }

  private static SignedInPerson slackPerson(JsonNode claims, UserInfo unused) {
    var team = ProviderRequests.text(claims, SLACK_TEAM);
    var user = ProviderRequests.text(claims, SLACK_USER);
    return new SignedInPerson(
        "slack:" + team + "/" + user,
        claims.path("name").asText(user),
        Set.of("slack:" + user, "slack:" + team + "/" + user));
  }

  /// An email address that is not verified could be somebody else's.
  private static SignedInPerson person(JsonNode idToken, UserInfo userInfo) {
    var claims = userInfo.complete(idToken);
    if (!claims.path("email_verified").asBoolean()) {
      throw new Failed("The provider did not verify the person's email address");
    }
    var given = ProviderRequests.text(claims, "email");
    if (!ADDRESS.matcher(given).matches()) {
      throw new Failed("The provider reports no email address that rules can name");
    }
    var email = given.toLowerCase(Locale.ROOT);
    var names = new HashSet<>(Set.of("oidc:" + email));
    for (var group : claims.path("groups")) {
      // A line break would separate stored names.
      if (group.asText().codePoints().noneMatch(Character::isISOControl)) {
        names.add("oidc:group:" + group.asText());
      }
    }
    return new SignedInPerson("oidc:" + email, claims.path("name").asText(email), names);
  }
}
