package dev.runnel.app.connect;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Connects a repository or organisation of GitHub, by an access token and a webhook. For one
/// repository, it also lets agents work in a clone.
record GitHubGuide(KnownEnvironments environments) implements Guide {
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

  /// Whether agents work in a clone of the repository: `yes` or `no`.
  static final String CLONE = "clone";

  /// Whether agents may push to the repository: `yes` or `no`.
  static final String PUSH = "push";

  /// The repository as GitHub spells it.
  static final String FULL_NAME = "full name";

  /// Present if the account of the token may not push to the repository.
  static final String MAY_NOT_PUSH = "may not push";

  private static final String CONFIGURED = "configured environment";
  private static final String READABLE = "readable";
  private static final String CLONE_SAVED = "clone saved";
  private static final Pattern YES_OR_NO = Pattern.compile("yes|no");

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
    var question = facts.require(REPOSITORY).contains("/") ? questionAboutClone(facts) : null;
    if (question != null) {
      return question;
    }
    if (facts.get(TOKEN).isEmpty()) {
      return facts.has("account") ? token() : account(facts);
    }
    if (!facts.has("token works")) {
      return new Step.Check(
          "token works",
          "the token",
          List.of(TOKEN, REPOSITORY, CONFIGURED, CLONE, PUSH),
          GitHubChecks::token);
    }
    if (wantsClone(facts) && !facts.has(READABLE)) {
      return new Step.Check(
          READABLE, "the repository's contents", List.of(), GitHubChecks::contents);
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
    if (decidesClone(facts) && !facts.has(CLONE_SAVED)) {
      return new Step.SaveClone(
          CLONE_SAVED, repository(facts), isYes(facts, CLONE), isYes(facts, PUSH));
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
            result(facts),
            "Comment /agent help on an issue, or give it the label agent."));
  }

  /// The next step that finds out whether agents work in a clone of the repository, and may push.
  private @Nullable Step questionAboutClone(Facts facts) {
    if (facts.has(CONFIGURED)) {
      return null;
    }
    var repository = facts.require(REPOSITORY);
    var configured = environments.configured(repository);
    if (!configured.isEmpty()) {
      return new Step.Instruct(CONFIGURED, configured);
    }
    var answers = new HashMap<>(environments.answers(repository));
    answers.keySet().removeIf(facts::has);
    if (!answers.isEmpty()) {
      return new Step.AddFacts(answers);
    }
    if (!facts.has(CLONE)) {
      return yesOrNo(
          CLONE,
          "Should agents work in a clone of %s? yes or no".formatted(repository),
          "yes",
          "With no, they start in an empty folder.");
    }
    if (isYes(facts, CLONE) && !facts.has(PUSH)) {
      return yesOrNo(
          PUSH,
          "May agents also push to %s? Then whoever may start runs can change the repository"
                  .formatted(repository)
              + " through the agent. yes or no",
          "no",
          "With no, agents cannot push with Runnel's token.");
    }
    return null;
  }

  private static Step yesOrNo(String name, String question, String defaultValue, String hint) {
    return new Step.Ask(
        name, question, Step.Ask.Kind.PLAIN, defaultValue, YES_OR_NO, "Write yes or no. " + hint);
  }

  private static boolean isYes(Facts facts, String answer) {
    return facts.get(answer).filter("yes"::equals).isPresent();
  }

  private static boolean wantsClone(Facts facts) {
    return isYes(facts, CLONE) && !facts.has(CONFIGURED) && isRepository(facts);
  }

  /// Without access to the contents, nothing is stored: the next run of the command decides.
  private static boolean decidesClone(Facts facts) {
    return isRepository(facts)
        && !facts.has(CONFIGURED)
        && (!isYes(facts, CLONE) || facts.get(READABLE).isPresent());
  }

  private static boolean isRepository(Facts facts) {
    return facts.require(REPOSITORY).contains("/");
  }

  private static String repository(Facts facts) {
    return facts.get(FULL_NAME).orElseGet(() -> facts.require(REPOSITORY));
  }

  /// Where agents work, in one line.
  private String result(Facts facts) {
    if (!isRepository(facts)) {
      return "Define an environment for each repository that agents work on: docs/github.md.";
    }
    if (facts.has(CONFIGURED)) {
      return "Your settings choose the environment of its issues.";
    }
    var environment =
        facts.get(CLONE_SAVED).or(() -> environments.environment(facts.require(REPOSITORY)));
    if (environment.isPresent()) {
      return "Agents work in a clone (environment %s), and %s push. To change this: --clone, --push."
          .formatted(environment.get(), isYes(facts, PUSH) ? "may" : "may not");
    }
    return isYes(facts, CLONE)
        ? "Agents start in an empty folder until the token may read the repository."
        : "Agents start in an empty folder. To change this: --clone yes.";
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

  private static Step account(Facts facts) {
    var owner = facts.require(REPOSITORY).split("/", 2)[0];
    var contents = isYes(facts, PUSH) ? "write" : "read";
    return new Step.Instruct(
        "account",
        List.of(
            "Create an access token of the account that comments as the agent, not your own."
                + " This link fills in the form:",
            "",
            "  https://github.com/settings/personal-access-tokens/new?name=Runnel&target_name="
                + URLEncoder.encode(owner, StandardCharsets.UTF_8)
                + "&issues=write&pull_requests=write&repository_hooks=write"
                + (wantsClone(facts) ? "&contents=" + contents : ""),
            "",
            "It needs Issues, Pull requests and Webhooks: read and write, for the repository."
                + (wantsClone(facts) ? " " + contentsPermission(facts) : "")));
  }

  /// The permission of a token that clones, in words for people.
  static String contentsPermission(Facts facts) {
    return isYes(facts, PUSH)
        ? "To clone and push, it also needs Contents: read and write."
        : "To clone, it also needs Contents: read.";
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
