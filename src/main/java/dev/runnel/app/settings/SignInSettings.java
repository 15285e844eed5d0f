package dev.runnel.app.settings;

import dev.runnel.core.port.SignInProvider;
import dev.runnel.signin.GitHubSignIn;
import dev.runnel.signin.OpenIdSignIn;
import dev.runnel.surface.Setting;
import java.net.URI;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import okhttp3.OkHttpClient;

/// A provider with which people sign in at the console.
public record SignInSettings(BiFunction<OkHttpClient, InstantSource, SignInProvider> provider) {
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");
  private static final URI SLACK = URI.create("https://slack.com");
  private static final URI GITHUB = URI.create("https://github.com");

  public SignInProvider open(OkHttpClient http, InstantSource clock) {
    return provider.apply(http, clock);
  }

  static List<SignInSettings> of(Settings settings) {
    var all = new ArrayList<SignInSettings>();
    if (isOn(settings, RunnelSettings.SIGN_IN_SLACK_ID, RunnelSettings.SIGN_IN_SLACK_SECRET)) {
      var id = settings.get(RunnelSettings.SIGN_IN_SLACK_ID).orElseThrow();
      var secret = settings.get(RunnelSettings.SIGN_IN_SLACK_SECRET).orElseThrow();
      all.add(
          new SignInSettings((http, clock) -> OpenIdSignIn.slack(SLACK, id, secret, http, clock)));
    }
    if (isOn(settings, RunnelSettings.SIGN_IN_GITHUB_ID, RunnelSettings.SIGN_IN_GITHUB_SECRET)) {
      var id = settings.get(RunnelSettings.SIGN_IN_GITHUB_ID).orElseThrow();
      var secret = settings.get(RunnelSettings.SIGN_IN_GITHUB_SECRET).orElseThrow();
      var url =
          settings
              .get(RunnelSettings.SIGN_IN_GITHUB_URL)
              .map(address(settings, RunnelSettings.SIGN_IN_GITHUB_URL))
              .orElse(GITHUB);
      all.add(new SignInSettings((http, _) -> new GitHubSignIn(url, id, secret, http)));
    }
    if (isOn(
        settings,
        RunnelSettings.SIGN_IN_OIDC_ISSUER,
        RunnelSettings.SIGN_IN_OIDC_ID,
        RunnelSettings.SIGN_IN_OIDC_SECRET)) {
      var issuer =
          settings
              .get(RunnelSettings.SIGN_IN_OIDC_ISSUER)
              .map(address(settings, RunnelSettings.SIGN_IN_OIDC_ISSUER))
              .orElseThrow();
      var id = settings.get(RunnelSettings.SIGN_IN_OIDC_ID).orElseThrow();
      var secret = settings.get(RunnelSettings.SIGN_IN_OIDC_SECRET).orElseThrow();
      all.add(
          new SignInSettings(
              (http, clock) -> OpenIdSignIn.generic(issuer, id, secret, http, clock)));
    }
    return all;
  }

  /// The client secret and who people are must not travel in the clear.
  private static Function<String, URI> address(Settings settings, Setting setting) {
    return text -> {
      var url = ConfigReader.url(settings, setting).apply(text);
      if (!"https".equals(url.getScheme()) && !LOOPBACK.contains(url.getHost())) {
        throw settings.wrong(setting, "must begin with https:// ");
      }
      return url;
    };
  }

  private static boolean isOn(Settings settings, Setting... needed) {
    var given = List.of(needed).stream().filter(it -> settings.get(it).isPresent()).toList();
    if (given.stream().anyMatch(settings::isOff)) {
      return false;
    }
    if (!given.isEmpty() && given.size() < needed.length) {
      var missing =
          List.of(needed).stream()
              .filter(it -> settings.get(it).isEmpty())
              .map(Setting::toString)
              .toList();
      throw settings.wrong(
          "%s is set, and %s is missing. Set all of them, or leave all out."
              .formatted(given.getFirst(), String.join(" and ", missing)));
    }
    return !given.isEmpty();
  }
}
