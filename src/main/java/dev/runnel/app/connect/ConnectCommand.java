package dev.runnel.app.connect;

import dev.runnel.app.connect.Step.Found;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.ConnectionsFile;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.surface.Setting;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/// `./runnel connect slack` and `./runnel connect github`: takes the steps of a [Guide]. What was
/// entered is kept at once, so that the command can be interrupted and repeated: it goes on with
/// what is not known yet, and checks the rest again.
public final class ConnectCommand {
  /// The platforms that have a guide.
  public static final List<String> PLATFORMS = List.of("slack", "github");

  /// The options that answer questions.
  public static final List<String> OPTIONS =
      List.of("--transport", "--public-url", "--repository", "--channel");

  private static final int SECRET_BYTES = 32;

  /// The settings that are asked for or made.
  private static final List<String> ENTERED =
      List.of(
          SlackGuide.BOT_TOKEN,
          SlackGuide.APP_TOKEN,
          SlackGuide.SIGNING_SECRET,
          SlackGuide.PUBLIC_URL,
          GitHubGuide.TOKEN,
          GitHubGuide.SECRET);

  private final Config config;
  private final Function<Optional<URI>, String> manifest;
  private final Network network;
  private final Dialogue dialogue;
  private final ConnectionsFile inForce;
  private final ConnectionsFile unfinished;

  /// @param manifest Slack's app manifest for an address; for a socket if there is none
  ConnectCommand(
      Config config, Function<Optional<URI>, String> manifest, Network network, Dialogue dialogue) {
    this.config = config;
    this.manifest = manifest;
    this.network = network;
    this.dialogue = dialogue;
    this.inForce = new ConnectionsFile(config.data().resolve(ConnectionsFile.IN_FORCE));
    this.unfinished = new ConnectionsFile(config.data().resolve(ConnectionsFile.UNFINISHED));
  }

  /// Runs the command for a person at the terminal; without a terminal, the answers are
  /// `NAME=VALUE` lines of the standard input.
  ///
  /// @param manifest Slack's app manifest for an address; for a socket if there is none
  /// @return the exit code
  public static int run(
      Config config,
      String platform,
      Map<String, String> chosen,
      Function<Optional<URI>, String> manifest,
      PrintStream out,
      InputStream in) {
    var terminal = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    try (var network = new JdkNetwork()) {
      Dialogue dialogue =
          terminal.isPresent()
              ? new TerminalDialogue(terminal.get(), out)
              : new PipedDialogue(out, lines(in));
      return new ConnectCommand(config, manifest, network, dialogue).run(platform, chosen);
    }
  }

  private static Map<String, String> lines(InputStream in) {
    return new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))
        .lines()
        .map(String::strip)
        .filter(line -> line.indexOf('=') > 0 && !line.startsWith("#"))
        .map(line -> line.split("=", 2))
        .collect(Collectors.toMap(it -> it[0].strip(), it -> it[1].strip(), (_, later) -> later));
  }

  /// @param chosen the values of options, by their names
  /// @return the exit code
  int run(String platform, Map<String, String> chosen) {
    try {
      var guide = platform.equals("slack") ? new SlackGuide(manifest) : new GitHubGuide();
      return follow(guide, known(chosen));
    } catch (IOException e) {
      throw new SettingsException(
          "%s cannot be written (%s). Run the command as the user that Runnel runs as."
              .formatted(config.data(), e.getMessage()));
    }
  }

  private Facts known(Map<String, String> chosen) {
    var values = new HashMap<String, String>();
    unfinished.read().forEach((setting, value) -> values.put(setting.variable(), value));
    config.settings().values().forEach((setting, value) -> values.put(setting.variable(), value));
    var fresh = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(fresh);
    values.put(GitHubGuide.FRESH_SECRET, HexFormat.of().formatHex(fresh));
    chosen.forEach(
        (name, value) ->
            values.put(name.equals("public-url") ? SlackGuide.PUBLIC_URL : name, value));
    return new Facts(values);
  }

  private int follow(Guide guide, Facts known) throws IOException {
    var facts = known;
    while (true) {
      switch (guide.next(facts)) {
        case Step.Tell(var name, var lines) -> {
          say(lines);
          facts = facts.with(name, "told");
        }
        case Step.Learn(var learned) -> {
          facts = facts.with(learned);
          keep(facts);
        }
        case Step.Ask ask -> {
          var answer = answer(ask);
          if (answer.isEmpty()) {
            return 1;
          }
          facts = facts.with(ask.name(), answer.get());
          keep(facts);
        }
        case Step.Check check -> {
          switch (check.probe().apply(facts, network)) {
            case Found.Works(var text, var learned) -> {
              dialogue.say("ok      %s: %s".formatted(check.what(), text));
              facts = facts.with(check.name(), text).with(learned);
            }
            case Found.Fails fails -> {
              var next = afterFailure(check, fails, facts);
              if (next.isEmpty()) {
                return 1;
              }
              facts = next.get();
            }
          }
        }
        case Step.Save save -> {
          save(save.variables(), facts);
          facts = facts.with(save.name(), "saved");
        }
        case Step.Finished(var lines) -> {
          say(lines);
          return 0;
        }
      }
    }
  }

  private void say(List<String> lines) {
    dialogue.say("");
    lines.forEach(dialogue::say);
  }

  /// @return empty if nobody answers
  private Optional<String> answer(Step.Ask ask) {
    while (true) {
      var typed = dialogue.ask(ask);
      var answer = typed.filter(it -> !it.isEmpty()).orElse(ask.usual());
      if (ask.kind() == Step.Ask.Kind.OPTIONAL
          && answer.isEmpty()
          && (typed.isPresent() || !dialogue.isWithPerson())) {
        return Optional.of("");
      }
      if (ask.form().matcher(answer).matches()) {
        return Optional.of(answer);
      }
      if (typed.isEmpty()) {
        dialogue.say("%s is missing. %s".formatted(ask.name(), missing(ask)));
        return Optional.empty();
      }
      dialogue.say("That is not it. " + ask.hint());
      if (!dialogue.isWithPerson()) {
        return Optional.empty();
      }
    }
  }

  private String missing(Step.Ask ask) {
    if (dialogue.isWithPerson()) {
      return "Run the command again: it goes on here.";
    }
    var option = ask.name().equals(SlackGuide.PUBLIC_URL) ? "--public-url" : "--" + ask.name();
    return OPTIONS.contains(option)
        ? "Add %s VALUE.".formatted(option)
        : "Add %s=VALUE to the standard input.".formatted(ask.name());
  }

  /// @return what is still known; empty to give up
  private Optional<Facts> afterFailure(Step.Check check, Found.Fails fails, Facts facts)
      throws IOException {
    dialogue.say("failed  %s: %s".formatted(check.what(), fails.why()));
    dialogue.say("        " + fails.remedy());
    for (var doubted : check.doubted()) {
      var origin = origin(doubted);
      if (origin.isPresent()) {
        dialogue.say("        %s comes from %s: change it there.".formatted(doubted, origin.get()));
        return Optional.empty();
      }
    }
    if (!dialogue.isWithPerson()) {
      return Optional.empty();
    }
    if (check.doubted().isEmpty()) {
      if (!dialogue.shouldRetry()) {
        dialogue.say("Run the command again when it is mended: it goes on here.");
        return Optional.empty();
      }
      return Optional.of(facts);
    }
    return Optional.of(facts.without(check.doubted()));
  }

  /// Where a setting comes from that this command cannot change.
  private Optional<String> origin(String variable) {
    return setting(variable)
        .flatMap(it -> Optional.ofNullable(config.settings().origins().get(it)))
        .filter(it -> !it.endsWith(ConnectionsFile.IN_FORCE));
  }

  private static Optional<Setting> setting(String variable) {
    return KnownPlatforms.settings().stream()
        .filter(it -> it.variable().equals(variable))
        .findFirst();
  }

  /// Keeps what was entered and is not in force, for the next time.
  private void keep(Facts facts) throws IOException {
    var current = inForce.read();
    var entered = entered(facts, ENTERED);
    entered.entrySet().removeIf(it -> it.getValue().equals(current.get(it.getKey())));
    if (!entered.isEmpty()) {
      var all = new HashMap<>(unfinished.read());
      all.putAll(entered);
      unfinished.write(all);
    }
  }

  /// The settings among the facts that nothing else sets.
  private Map<Setting, String> entered(Facts facts, List<String> variables) {
    var entered = new HashMap<Setting, String>();
    for (var variable : variables) {
      if (origin(variable).isEmpty()) {
        facts.get(variable).ifPresent(it -> entered.put(setting(variable).orElseThrow(), it));
      }
    }
    return entered;
  }

  private void save(List<String> variables, Facts facts) throws IOException {
    var added = entered(facts, variables);
    if (added.isEmpty()) {
      return;
    }
    var all = new HashMap<>(inForce.read());
    all.putAll(added);
    inForce.write(all);
    var rest = new HashMap<>(unfinished.read());
    rest.keySet().removeAll(added.keySet());
    if (rest.isEmpty()) {
      unfinished.delete();
    } else {
      unfinished.write(rest);
    }
    dialogue.say(
        "kept    %s, in %s, which only you can read"
            .formatted(
                added.keySet().stream()
                    .map(Setting::path)
                    .sorted()
                    .collect(Collectors.joining(", ")),
                inForce.path()));
  }
}
