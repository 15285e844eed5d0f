package dev.runnel.app.connect;

import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Connects a Slack workspace.
///
/// @param manifest the app manifest for an address at which Slack reaches Runnel; for a socket if
///   there is none
record SlackGuide(Function<Optional<URI>, String> manifest) implements Guide {
  static final String BOT_TOKEN = "SLACK_BOT_TOKEN";
  static final String APP_TOKEN = "SLACK_APP_TOKEN";
  static final String SIGNING_SECRET = "SLACK_SIGNING_SECRET";
  static final String CLIENT_ID = "SLACK_CLIENT_ID";
  static final String API_URL = "SLACK_API_URL";
  static final String PUBLIC_URL = "RUNNEL_PUBLIC_URL";

  /// `socket` or `http`.
  static final String TRANSPORT = "transport";

  /// The channel of the test message.
  static final String CHANNEL = "channel";

  static final String SOCKET = "socket";
  static final String HTTP = "http";

  static final Pattern ADDRESS = Pattern.compile("https?://[^\\s/?#]++[^\\s?#]*+");

  @Override
  public Step next(Facts facts) {
    if (facts.get(CLIENT_ID).isPresent()) {
      return new Step.Finished(
          List.of(
              CLIENT_ID + " is set: workspaces install the app themselves, at /slack/install.",
              "./runnel check tests them."));
    }
    if (!facts.has(TRANSPORT)) {
      return transport(facts);
    }
    var isHttp = facts.require(TRANSPORT).equals(HTTP);
    if (isHttp && facts.get(PUBLIC_URL).isEmpty()) {
      return publicAddress("Slack");
    }
    if (facts.get(BOT_TOKEN).isEmpty()) {
      return facts.has("app") ? botToken() : app(facts, isHttp);
    }
    if (!facts.has("bot")) {
      return new Step.Check("bot", "the bot token", List.of(BOT_TOKEN), SlackChecks::bot);
    }
    return isHttp ? overHttp(facts) : overSocket(facts);
  }

  /// Asks for the address at which a platform reaches Runnel.
  static Step publicAddress(String platform) {
    return new Step.Ask(
        PUBLIC_URL,
        "The address at which %s reaches Runnel, such as https://runnel.example.com"
            .formatted(platform),
        Step.Ask.Kind.PLAIN,
        "",
        ADDRESS,
        "An address begins with https://. A reverse proxy or a tunnel gives one.");
  }

  private static Step transport(Facts facts) {
    if (facts.get(APP_TOKEN).isPresent()) {
      return new Step.AddFacts(Map.of(TRANSPORT, SOCKET));
    }
    if (facts.get(SIGNING_SECRET).isPresent()) {
      return new Step.AddFacts(Map.of(TRANSPORT, HTTP));
    }
    return new Step.Ask(
        TRANSPORT,
        "How do messages arrive? socket: Runnel connects to Slack, no public address needed;"
            + " http: Slack calls your address",
        Step.Ask.Kind.PLAIN,
        SOCKET,
        Pattern.compile(SOCKET + "|" + HTTP),
        "Type socket or http.");
  }

  private Step app(Facts facts, boolean isHttp) {
    var lines = new ArrayList<String>();
    lines.add("Create the Slack app. This link fills in its manifest; choose the workspace:");
    lines.add("");
    lines.add(
        "  https://api.slack.com/apps?new_app=1&manifest_yaml="
            + URLEncoder.encode(
                withoutComments(
                    manifest.apply(
                        isHttp ? facts.get(PUBLIC_URL).map(URI::create) : Optional.empty())),
                StandardCharsets.UTF_8));
    lines.add("");
    lines.add("Then, in the app's settings, Install App: install it in the workspace.");
    return new Step.Instruct("app", lines);
  }

  /// Shortens the link.
  private static String withoutComments(String yaml) {
    return yaml.lines()
        .filter(line -> !line.strip().startsWith("#"))
        .collect(Collectors.joining("\n"));
  }

  private static Step botToken() {
    return new Step.Ask(
        BOT_TOKEN,
        "Bot User OAuth Token (xoxb-…), under OAuth & Permissions",
        Step.Ask.Kind.SECRET,
        "",
        Pattern.compile("xoxb-[!-~]+"),
        "A bot token begins with xoxb-. A user token (xoxp-) or an app-level token (xapp-)"
            + " does not work.");
  }

  private static Step overSocket(Facts facts) {
    if (facts.get(APP_TOKEN).isEmpty()) {
      return new Step.Ask(
          APP_TOKEN,
          "App-level token (xapp-…): Basic Information, App-Level Tokens, with connections:write",
          Step.Ask.Kind.SECRET,
          "",
          Pattern.compile("xapp-[!-~]+"),
          "An app-level token begins with xapp-.");
    }
    if (!facts.has("socket open")) {
      return new Step.Check(
          "socket open", "a socket from Slack", List.of(APP_TOKEN), SlackChecks::socket);
    }
    if (!facts.has("saved")) {
      return new Step.Save("saved", List.of(BOT_TOKEN, APP_TOKEN));
    }
    return message(facts);
  }

  private static Step overHttp(Facts facts) {
    if (facts.get(SIGNING_SECRET).isEmpty()) {
      return new Step.Ask(
          SIGNING_SECRET,
          "Signing Secret, under Basic Information",
          Step.Ask.Kind.SECRET,
          "",
          Pattern.compile("[!-~]{16,}"),
          "A signing secret has at least 16 characters; Slack's have 32.");
    }
    if (!facts.has("saved")) {
      return new Step.Save("saved", List.of(BOT_TOKEN, SIGNING_SECRET, PUBLIC_URL));
    }
    if (!facts.has("started")) {
      return GitHubGuide.start();
    }
    if (!facts.has("way back")) {
      return new Step.Check(
          "way back",
          "the connection from your address to Runnel",
          List.of(),
          SlackChecks::checkReachability);
    }
    return message(facts);
  }

  private static Step message(Facts facts) {
    if (!facts.has(CHANNEL)) {
      return new Step.Ask(
          CHANNEL,
          "A channel for a test message, such as #dev (Enter: none)",
          Step.Ask.Kind.OPTIONAL,
          "",
          Pattern.compile("#?[\\p{L}\\p{N}_-]+"),
          "Type the name of a channel, or its id.");
    }
    if (facts.get(CHANNEL).isPresent() && !facts.has("message")) {
      return new Step.Check("message", "a test message", List.of(CHANNEL), SlackChecks::message);
    }
    var isHttp = facts.require(TRANSPORT).equals(HTTP);
    return new Step.Finished(
        List.of(
            "Slack is connected (%s).".formatted(facts.get("bot").orElse("")),
            isHttp
                ? "In Slack: /invite @agent in a channel, then /agent help. If the app's settings"
                    + " say that the address is not verified: Event Subscriptions, Retry."
                : "Start Runnel with ./runnel, or restart it. In Slack: /invite @agent in a"
                    + " channel, then /agent help."));
  }
}
