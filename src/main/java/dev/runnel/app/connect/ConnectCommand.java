package dev.runnel.app.connect;

import dev.runnel.app.connect.Step.CheckResult;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Connections;
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

/// `./runnel connect slack` and `./runnel connect github`: takes the steps of a [Guide]. Each value
/// is saved when it is entered, so that the command can be interrupted and repeated: it then asks
/// for the missing values, and checks the others again.
public final class ConnectCommand {
  /// The platforms that have a guide.
  public static final List<String> PLATFORMS = List.of("slack", "github");

  /// The options that answer questions.
  public static final List<String> OPTIONS =
      List.of("--transport", "--public-url", "--repository", "--clone", "--push", "--channel");

  /// Those of them whose value is `yes` or `no`.
  public static final List<String> YES_OR_NO_OPTIONS = List.of("--clone", "--push");

  private static final int SECRET_BYTES = 32;

  /// The settings that the command asks for or generates.
  private static final List<String> SAVED_SETTINGS =
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
    try (var network = new OkHttpNetwork(config.proxy())) {
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
      var guide =
          platform.equals("slack") ? new SlackGuide(manifest) : new GitHubGuide(environments());
      return takeSteps(guide, knownFacts(chosen));
    } catch (IOException e) {
      throw new SettingsException(
          "%s cannot be written (%s). Run the command as the user that Runnel runs as."
              .formatted(config.data(), e.getMessage()));
    }
  }

  private KnownEnvironments environments() {
    return new KnownEnvironments(config.settings(), inForce.read());
  }

  private Facts knownFacts(Map<String, String> chosen) {
    var values = new HashMap<String, String>();
    unfinished.read().settings().forEach((setting, value) -> values.put(setting.variable(), value));
    config.settings().values().forEach((setting, value) -> values.put(setting.variable(), value));
    var fresh = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(fresh);
    values.put(GitHubGuide.FRESH_SECRET, HexFormat.of().formatHex(fresh));
    chosen.forEach(
        (name, value) ->
            values.put(name.equals("public-url") ? SlackGuide.PUBLIC_URL : name, value));
    return new Facts(values);
  }

  private int takeSteps(Guide guide, Facts knownFacts) throws IOException {
    var facts = knownFacts;
    while (true) {
      switch (guide.next(facts)) {
        case Step.Instruct(var name, var lines) -> {
          printBlock(lines);
          facts = facts.with(name, "told");
        }
        case Step.AddFacts(var learned) -> {
          facts = facts.with(learned);
          saveUnfinished(facts);
        }
        case Step.Ask ask -> {
          var answer = answer(ask);
          if (answer.isEmpty()) {
            return 1;
          }
          facts = facts.with(ask.name(), answer.get());
          saveUnfinished(facts);
        }
        case Step.Check check -> {
          switch (check.probe().apply(facts, network)) {
            case CheckResult.Passed(var text, var learned) -> {
              dialogue.print("ok      %s: %s".formatted(check.what(), text));
              facts = facts.with(check.name(), text).with(learned);
            }
            case CheckResult.Skipped(var why, var remedy) -> {
              dialogue.print("skipped %s: %s".formatted(check.what(), why));
              dialogue.print("        " + remedy);
              facts = facts.with(check.name(), "");
            }
            case CheckResult.Failed fails -> {
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
        case Step.SaveClone decision ->
            facts = facts.with(decision.name(), save(decision).orElse(""));
        case Step.Finished(var lines) -> {
          printBlock(lines);
          return 0;
        }
      }
    }
  }

  private void printBlock(List<String> lines) {
    dialogue.print("");
    lines.forEach(dialogue::print);
  }

  /// @return empty if nobody answers
  private Optional<String> answer(Step.Ask ask) {
    while (true) {
      var typed = dialogue.ask(ask);
      var answer = typed.filter(it -> !it.isEmpty()).orElse(ask.defaultValue());
      if (ask.kind() == Step.Ask.Kind.OPTIONAL
          && answer.isEmpty()
          && (typed.isPresent() || !dialogue.isInteractive())) {
        return Optional.of("");
      }
      if (ask.form().matcher(answer).matches()) {
        return Optional.of(answer);
      }
      if (typed.isEmpty()) {
        dialogue.print("%s is missing. %s".formatted(ask.name(), missing(ask)));
        return Optional.empty();
      }
      dialogue.print("This value is not valid. " + ask.hint());
      if (!dialogue.isInteractive()) {
        return Optional.empty();
      }
    }
  }

  private String missing(Step.Ask ask) {
    if (dialogue.isInteractive()) {
      return "Run the command again to continue here.";
    }
    var option = ask.name().equals(SlackGuide.PUBLIC_URL) ? "--public-url" : "--" + ask.name();
    return OPTIONS.contains(option)
        ? "Add %s VALUE.".formatted(option)
        : "Add %s=VALUE to the standard input.".formatted(ask.name());
  }

  /// @return the remaining facts; empty to give up
  private Optional<Facts> afterFailure(Step.Check check, CheckResult.Failed fails, Facts facts)
      throws IOException {
    dialogue.print("failed  %s: %s".formatted(check.what(), fails.why()));
    dialogue.print("        " + fails.remedy());
    for (var input : check.inputs()) {
      var origin = origin(input);
      if (origin.isPresent()) {
        dialogue.print("        %s comes from %s: change it there.".formatted(input, origin.get()));
        return Optional.empty();
      }
    }
    if (!dialogue.isInteractive()) {
      return Optional.empty();
    }
    if (check.inputs().isEmpty()) {
      if (!dialogue.shouldRetry()) {
        dialogue.print("Run the command again when it is fixed: it continues here.");
        return Optional.empty();
      }
      return Optional.of(facts);
    }
    return Optional.of(facts.without(check.inputs()));
  }

  /// The origin of a setting that this command cannot change.
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

  /// Saves the entered values that are not in force yet, for the next run of the command.
  private void saveUnfinished(Facts facts) throws IOException {
    var current = inForce.read().settings();
    var entered = entered(facts, SAVED_SETTINGS);
    entered.entrySet().removeIf(it -> it.getValue().equals(current.get(it.getKey())));
    if (!entered.isEmpty()) {
      unfinished.write(with(unfinished.read(), entered));
    }
  }

  /// The settings among the facts that have no other origin.
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
    inForce.write(with(inForce.read(), added));
    var rest = new HashMap<>(unfinished.read().settings());
    rest.keySet().removeAll(added.keySet());
    if (rest.isEmpty()) {
      unfinished.delete();
    } else {
      unfinished.write(Connections.NONE.withSettings(rest));
    }
    printSaved(
        added.keySet().stream().map(Setting::path).sorted().collect(Collectors.joining(", ")));
  }

  private static Connections with(Connections connections, Map<Setting, String> added) {
    var all = new HashMap<>(connections.settings());
    all.putAll(added);
    return connections.withSettings(all);
  }

  /// @return the name of the repository's environment
  private Optional<String> save(Step.SaveClone decision) throws IOException {
    var current = inForce.read();
    var next = environments().with(decision);
    var environment = next.environment(decision.repository());
    if (!next.equals(current)) {
      inForce.write(next);
      printSaved(
          environment
              .map("agents.environments.%s, the default for "::formatted)
              .orElse("no environment for ")
              .concat(decision.repository()));
    }
    return environment;
  }

  private void printSaved(String what) {
    dialogue.print("saved   %s, in %s, which only you can read".formatted(what, inForce.path()));
  }
}
