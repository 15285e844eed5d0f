package dev.runnel.signin;

import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.port.SignInProvider;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Set;
import okhttp3.OkHttpClient;

/// Sign-in with GitHub, by OAuth without scopes, which only identifies the person.
public final class GitHubSignIn implements SignInProvider {
  private static final URI GITHUB = URI.create("https://github.com");
  private static final URI GITHUB_API = URI.create("https://api.github.com");

  private final String base;
  private final URI api;
  private final String clientId;
  private final String clientSecret;
  private final ProviderRequests requests;

  /// @param url `https://github.com`, or the address of GitHub Enterprise Server
  public GitHubSignIn(URI url, String clientId, String clientSecret, OkHttpClient http) {
    this.base = url.toString().replaceAll("(?<!/)/+$", "");
    this.api = base.equals(GITHUB.toString()) ? GITHUB_API : URI.create(base + "/api/v3");
    this.clientId = clientId;
    this.clientSecret = clientSecret;
    this.requests = new ProviderRequests(http);
  }

  @Override
  public String id() {
    return "github";
  }

  @Override
  public String name() {
    return "GitHub";
  }

  @Override
  public URI authorization(String state, Exchange exchange) {
    var parameters = new LinkedHashMap<String, String>();
    parameters.put("client_id", clientId);
    parameters.put("redirect_uri", exchange.callback().toString());
    parameters.put("state", state);
    parameters.put("code_challenge", ProviderRequests.challenge(exchange.verifier()));
    parameters.put("code_challenge_method", "S256");
    parameters.put("allow_signup", "false");
    return ProviderRequests.with(URI.create(base + "/login/oauth/authorize"), parameters);
  }

  @Override
  public SignedInPerson identify(String code, Exchange exchange) {
    var fields = new LinkedHashMap<String, String>();
    fields.put("client_id", clientId);
    fields.put("client_secret", clientSecret);
    fields.put("code", code);
    fields.put("redirect_uri", exchange.callback().toString());
    fields.put("code_verifier", exchange.verifier());
    // GitHub reports errors with status 200 and without a token.
    var token =
        ProviderRequests.text(
            requests.post(URI.create(base + "/login/oauth/access_token"), fields), "access_token");
    var user = requests.getAs(token, URI.create(api + "/user"));
    var login = ProviderRequests.text(user, "login");
    return new SignedInPerson(
        "github:" + login,
        user.path("name").asText("").isBlank() ? login : user.path("name").asText(),
        names(login, ProviderRequests.text(user, "id")));
  }

  /// An account may have the name of the group `members`.
  private static Set<String> names(String login, String id) {
    return login.equalsIgnoreCase("members")
        ? Set.of("github:user:" + id)
        : Set.of("github:" + login, "github:user:" + id);
  }
}
