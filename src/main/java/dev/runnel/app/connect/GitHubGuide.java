package dev.runnel.app.connect;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/// Connects a repository or organisation of GitHub, by an access token and a webhook.
final class GitHubGuide implements Guide {
  static final String TOKEN = "GITHUB_TOKEN";
  static final String SECRET = "GITHUB_WEBHOOK_SECRET";
  static final String HOOKS = "GITHUB_HOOKS";
  static final String APP_ID = "GITHUB_APP_ID";
  static final String API_URL = "GITHUB_API_URL";

  /// `acme/shop` or `acme`.
  static final String REPOSITORY = "repository";

  /// A new random secret, used if none is set.
  static final String FRESH_SECRET = "fresh secret";

  static final String HOOK = "webhook";

  static final Pattern PLACE = Pattern.compile("[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)?");

  @Override
  public Step next(Facts facts) {
    if (facts.get(APP_ID).isPresent()) {
      return new Step.Finished(
          List.of(
              APP_ID + " is set: a GitHub App has its webhook in its own settings.",
              "./runnel check tests its key; docs/github.md names its permissions and events."));
    }
    if (!facts.has(REPOSITORY)) {
      return new Step.Ask(
          REPOSITORY,
          "The repository (acme/shop), or the organisation (acme)",
          Step.Ask.Kind.PLAIN,
          "",
          PLACE,
          "Write acme/shop for a repository, acme for all repositories of an organisation.");
    }
    if (facts.get(TOKEN).isEmpty()) {
      return facts.has("account") ? token() : account(facts.require(REPOSITORY));
    }
    if (!facts.has("token works")) {
      return new Step.Check(
          "token works", "the token", List.of(TOKEN, REPOSITORY), GitHubChecks::token);
    }
    if (facts.get(SlackGuide.PUBLIC_URL).isEmpty()) {
      return SlackGuide.publicAddress("GitHub");
    }
    if (facts.get(SECRET).isEmpty()) {
      return new Step.AddFacts(Map.of(SECRET, facts.require(FRESH_SECRET)));
    }
    if (!facts.has("saved")) {
      return new Step.Save("saved", List.of(TOKEN, SECRET, SlackGuide.PUBLIC_URL));
    }
    if (!facts.has("started")) {
      return start();
    }
    if (!facts.has("way back")) {
      return new Step.Check(
          "way back",
          "the connection from your address to Runnel",
          List.of(),
          GitHubChecks::checkReachability);
    }
    if (!facts.has(HOOK)) {
      return new Step.Check(HOOK, "the webhook", List.of(), GitHubChecks::hook);
    }
    if (!facts.has("hooks saved")) {
      return new Step.Save("hooks saved", List.of(HOOKS));
    }
    if (!facts.has("delivery")) {
      return new Step.Check(
          "delivery", "a delivery from GitHub", List.of(), GitHubChecks::delivery);
    }
    return new Step.Finished(
        List.of(
            "GitHub is connected (%s).".formatted(facts.require(REPOSITORY)),
            "Comment /agent help on an issue, or give it the label agent."));
  }

  /// Waits until Runnel runs with the new settings.
  static Step start() {
    return new Step.Ask(
        "started",
        "Start Runnel in another terminal (./runnel), or restart it, then press Enter",
        Step.Ask.Kind.OPTIONAL,
        "",
        Pattern.compile(".*"),
        "");
  }

  private static Step account(String place) {
    var owner = place.split("/", 2)[0];
    return new Step.Instruct(
        "account",
        List.of(
            "Create an access token of the account that comments as the agent, not your own."
                + " This link fills in the form:",
            "",
            "  https://github.com/settings/personal-access-tokens/new?name=Runnel&target_name="
                + URLEncoder.encode(owner, StandardCharsets.UTF_8)
                + "&issues=write&pull_requests=write&repository_hooks=write",
            "",
            "It needs Issues, Pull requests and Webhooks: read and write, for the repository."));
  }

  private static Step token() {
    return new Step.Ask(
        TOKEN,
        "Access token (github_pat_… or ghp_…)",
        Step.Ask.Kind.SECRET,
        "",
        Pattern.compile("[!-~]+"),
        "A token has no spaces or line breaks.");
  }
}
