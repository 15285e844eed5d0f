package dev.runnel.app.settings;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Routes;
import dev.runnel.service.egress.EgressSetting;
import dev.runnel.service.run.Factory;
import dev.runnel.service.workspace.Environments;
import dev.runnel.surface.PlatformDefinition;
import dev.runnel.surface.Setting;
import dev.runnel.surface.hook.Hook;
import dev.runnel.surface.slack.model.SlackSettings;
import dev.runnel.surface.tracker.TrackerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The operator's settings, from `runnel.yaml` and the environment, read once.
///
/// @param values the values by setting; blank ones are absent
/// @param origins where each value comes from, for people: `the environment`, `runnel.yaml`
/// @param hooks the senders of JSON that start runs
/// @param secretVariables the variables that the file takes secrets from
/// @param notices what the operator should write differently, one sentence each
/// @param valuesByPath every value of the file by its path: `hooks.alerts.prompt`
/// @param connected the environments and places that `./runnel connect` stored and that are in
///   force, by path: `agents.environments.shop`, `defaults.github:acme/shop`
/// @param file the file that was read
public record Settings(
    Map<Setting, String> values,
    Map<Setting, String> origins,
    Profiles profiles,
    Defaults defaults,
    Policy policy,
    Environments environments,
    List<Factory> factories,
    List<Hook> hooks,
    Set<String> secretVariables,
    List<String> notices,
    Map<String, String> valuesByPath,
    Set<String> connected,
    Optional<Path> file) {
  private static final String FILE = "runnel.yaml";
  private static final String PREFIX = "RUNNEL_";
  private static final String ENVIRONMENT = "the environment";
  private static final String COMMAND_LINE = "the command line";
  private static final Pattern VARIABLE = Pattern.compile("\\b[A-Z][A-Z0-9_]+\\b");
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");

  /// Rejects duplicate keys and a second document, which would be resolved silently.
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  /// Variables with our prefix that are not settings: the path of the file, those of the client and
  /// the launcher, and those that the embedded service passes to the agents it starts.
  private static final Set<String> NOT_SETTINGS =
      Set.of(
          """
          RUNNEL_CONFIG RUNNEL_CLIENT_LOG RUNNEL_HEAP RUNNEL_JAVA RUNNEL_JAVA_OPTS RUNNEL_RUN_ID
          RUNNEL_SESSION_ID RUNNEL_EXECUTION RUNNEL_CLAIM RUNNEL_CONFIG_JSON RUNNEL_SKILL_FILE
          RUNNEL_ARTIFACTS RUNNEL_CONVERSATION_FILE
          """
              .split("\\s+"));

  private static final String API_URL = "GITHUB_API_URL";

  private static final List<Setting> ALL = KnownPlatforms.settings();

  /// An alias of `PORT`; `PORT` takes precedence.
  private static final String PORT_ALIAS = "RUNNEL_PORT";

  private static final String PORT_ALIAS_ORIGIN = PORT_ALIAS + " in " + ENVIRONMENT;

  private static final Pattern KUBERNETES_SERVICE =
      Pattern.compile(
          "^RUNNEL_(\\w+_)?(SERVICE_(HOST|PORT(_\\w+)?)|PORT_\\d+_(TCP|UDP|SCTP)(_\\w+)?)");

  private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://");

  private static final List<String> PROFILE_KEYS =
      List.of("environment", "model", "skill", "name", "factory");

  public Settings {
    values = Map.copyOf(values);
    origins = Map.copyOf(origins);
    factories = List.copyOf(factories);
    hooks = List.copyOf(hooks);
    secretVariables = Set.copyOf(secretVariables);
    notices = List.copyOf(notices);
    valuesByPath = Map.copyOf(valuesByPath);
    connected = Set.copyOf(connected);
  }

  /// @param file the file given on the command line; else `RUNNEL_CONFIG`, else `runnel.yaml` if it
  ///   exists
  /// @param overrides settings given on the command line; they override all others
  public static Settings read(
      Map<String, String> environment, Optional<Path> file, Map<Setting, String> overrides) {
    var values = new LinkedHashMap<Setting, String>();
    var notices = new ArrayList<String>();
    var chosen = file.or(() -> Optional.ofNullable(environment.get("RUNNEL_CONFIG")).map(Path::of));
    if (chosen.isPresent() && !Files.exists(chosen.get())) {
      throw new SettingsException("There is no configuration file " + chosen.get() + ".");
    }
    var path = chosen.or(() -> Optional.of(Path.of(FILE)).filter(Files::exists));
    var profiles = Profiles.NONE;
    var defaults = Map.<String, Map<String, String>>of();
    var routes = Routes.NONE;
    var policy = Policy.NONE;
    var environmentSection = Optional.<YamlSection>empty();
    var factories = List.<Factory>of();
    var hooks = List.<Hook>of();
    var secretVariables = new HashSet<String>();
    var valuesByPath = new HashMap<String, String>();
    if (path.isPresent()) {
      var tree = parse(path.get());
      flatten("", tree, environment, valuesByPath);
      var all = new YamlSection(path.get(), "", tree);
      profiles = profiles(all.at("profiles"), environment);
      defaults = RunDefaultsSettings.read(all.at(RunDefaultsSettings.PLACE), profiles);
      routes = RouteSettings.read(all.at(RouteSettings.PLACE), profiles);
      policy = PolicySettings.read(all.at(PolicySettings.PLACE), policyNames());
      environmentSection = Optional.of(all.at("agents").at("environments"));
      factories = FactorySettings.read(all.at(FactorySettings.PLACE));
      hooks =
          HookSettings.read(
              all.at(HookSettings.PLACE),
              secret -> resolveSecret(secret, path.get(), environment, secretVariables));
      collect("", tree, path.get(), environment, values, secretVariables, notices);
    }
    var origins = new HashMap<Setting, String>();
    values.keySet().forEach(it -> origins.put(it, path.map(Path::toString).orElse(FILE)));
    fromEnvironment(environment, values, origins);
    values.putAll(overrides);
    overrides.keySet().forEach(it -> origins.put(it, COMMAND_LINE));
    var connectionsFile = connectionsFile(values);
    var connections = connectionsFile.read();
    addConnections(connectionsFile, connections, values, origins);
    values.values().removeIf(String::isBlank);
    origins.keySet().retainAll(values.keySet());
    values.replaceAll((setting, value) -> offIfFormerlyOff(setting, value, notices));
    if (!values.getOrDefault(SlackSettings.WATCH, Setting.OFF).strip().equals(Setting.OFF)) {
      policy = policy.withWatchBudget();
    }
    var token = value(values, ConnectionsFile.TOKEN);
    var environments =
        environmentSection
            .map(it -> EnvironmentSettings.read(it, withToken(environment, token)))
            .orElse(Environments.NONE);
    // An external service has environments of its own.
    var connected =
        new ConnectedRepositories(
            connectionsFile.path(),
            values.containsKey(RunnelSettings.AGENT_API_URL) ? Connections.NONE : connections,
            value(values, API_URL),
            token);
    environments = connected.addTo(environments);
    defaults = connected.addTo(defaults, profiles);
    valuesByPath.putAll(connected.valuesByPath());
    notices.addAll(connected.notices());
    environments =
        EnvironmentSettings.withDefault(
            environments, Optional.ofNullable(values.get(RunnelSettings.AGENTS_ENVIRONMENT)));
    var ids =
        values.containsKey(RunnelSettings.AGENT_API_URL)
            ? EnvironmentIds.UNKNOWN
            : EnvironmentSettings.ids(environments);
    return new Settings(
        values,
        origins,
        profiles,
        new Defaults(
            defaults,
            RunDefaultsSettings.admins(Optional.ofNullable(values.get(RunnelSettings.ADMINS))),
            routes,
            ids),
        policy.withEnvironmentIds(ids::of),
        environments,
        factories,
        hooks,
        secretVariables,
        notices,
        valuesByPath,
        connected.inForce(),
        path);
  }

  private static ConnectionsFile connectionsFile(Map<Setting, String> values) {
    return new ConnectionsFile(
        Path.of(values.getOrDefault(RunnelSettings.DATA, "data"))
            .resolve(ConnectionsFile.IN_FORCE));
  }

  private static Optional<String> value(Map<Setting, String> values, String variable) {
    return find(variable).map(values::get);
  }

  private static Optional<Setting> find(String variable) {
    return ALL.stream().filter(each -> each.variable().equals(variable)).findFirst();
  }

  /// The variables that environments may name: also the token, wherever it is set.
  private static Map<String, String> withToken(
      Map<String, String> environment, Optional<String> token) {
    var variables = new HashMap<>(environment);
    token.ifPresent(it -> variables.put(ConnectionsFile.TOKEN, it));
    return variables;
  }

  /// What `./runnel connect` wrote, where nothing else is set.
  private static void addConnections(
      ConnectionsFile file,
      Connections connections,
      Map<Setting, String> values,
      Map<Setting, String> origins) {
    connections
        .settings()
        .forEach(
            (setting, value) -> {
              if (values.getOrDefault(setting, "").isBlank()) {
                values.put(setting, value);
                origins.put(setting, file.path().toString());
              }
            });
  }

  /// All values by the path that the file has or could have for them, to compare two readings. They
  /// include secrets.
  public Map<String, String> byPath() {
    var all = new HashMap<>(valuesByPath);
    values.forEach(
        (setting, value) -> {
          // A list, or a section that is one setting, is compared as a whole.
          all.keySet()
              .removeIf(
                  path ->
                      path.startsWith(setting.path() + ".")
                          || path.startsWith(setting.path() + "["));
          all.put(setting.path(), value);
        });
    return all;
  }

  /// What names in a policy may begin with: platforms, the console, runs of the API, and accounts
  /// of OpenID Connect.
  private static List<String> policyNames() {
    return Stream.concat(KnownPlatforms.surfaces().stream(), Stream.of("console", "api", "oidc"))
        .toList();
  }

  private static void flatten(
      String path,
      JsonNode tree,
      Map<String, String> environment,
      Map<String, String> valuesByPath) {
    if (tree.isObject()) {
      tree.properties()
          .forEach(
              entry ->
                  flatten(
                      path.isEmpty() ? entry.getKey() : path + "." + entry.getKey(),
                      entry.getValue(),
                      environment,
                      valuesByPath));
    } else if (tree.isArray()) {
      for (int i = 0; i < tree.size(); i++) {
        flatten("%s[%d]".formatted(path, i), tree.get(i), environment, valuesByPath);
      }
    } else if (!tree.isNull() && !tree.isMissingNode()) {
      valuesByPath.put(
          path,
          REFERENCE
              .matcher(tree.asText())
              .replaceAll(
                  reference ->
                      Matcher.quoteReplacement(
                          environment.getOrDefault(reference.group(1), reference.group()))));
    }
  }

  private static String offIfFormerlyOff(Setting setting, String value, List<String> notices) {
    if (setting.formerOff().filter(value.strip()::equals).isEmpty()) {
      return value;
    }
    notices.add(
        "%s (%s): write %s instead of %s."
            .formatted(setting, setting.path(), Setting.OFF, value.strip()));
    return Setting.OFF;
  }

  public Optional<String> get(Setting setting) {
    return Optional.ofNullable(values.get(setting));
  }

  /// The entries of a list that is separated by commas.
  List<String> list(Setting setting) {
    return get(setting).stream()
        .flatMap(text -> Stream.of(text.split(",", -1)))
        .map(String::strip)
        .filter(each -> !each.isEmpty())
        .toList();
  }

  /// A problem with a setting.
  ///
  /// @param why follows the name of the setting: `must be on or off`
  SettingsException wrong(Setting setting, String why) {
    return wrong("%s %s.".formatted(setting, why));
  }

  /// A problem with settings. Each setting that has a value gets the name that the operator used,
  /// and the place: `port in runnel.yaml`.
  ///
  /// @param message names settings by their variables
  public SettingsException wrong(String message) {
    return new SettingsException(
        VARIABLE
            .matcher(message)
            .replaceAll(
                variable ->
                    Matcher.quoteReplacement(
                        find(variable.group())
                            .filter(origins::containsKey)
                            .map(this::place)
                            .orElse(variable.group()))));
  }

  private String place(Setting setting) {
    var origin = origins.getOrDefault(setting, "");
    return switch (origin) {
      case ENVIRONMENT -> setting + " in " + ENVIRONMENT;
      case PORT_ALIAS_ORIGIN -> origin;
      case COMMAND_LINE -> "--" + setting.path() + " on " + COMMAND_LINE;
      default -> setting.path() + " in " + origin;
    };
  }

  /// Whether it is switched off.
  boolean isOff(Setting setting) {
    return get(setting).map(String::strip).filter(Setting.OFF::equals).isPresent();
  }

  /// The values of the platform's settings and of those that trackers share, by variable.
  public Map<String, String> of(PlatformDefinition platform) {
    var found = new HashMap<String, String>();
    Stream.concat(platform.settings().stream(), TrackerSettings.ALL.stream())
        .forEach(each -> get(each).ifPresent(value -> found.put(each.variable(), value)));
    return found;
  }

  /// The address of a repository of the connected GitHub, for git.
  ///
  /// @param repository `acme/shop`
  public String gitHubAddress(String repository) {
    return ConnectedRepositories.address(value(values, API_URL), repository);
  }

  /// The environment that agents may see: without the variables that the file takes secrets from.
  public Map<String, String> withoutSecrets(Map<String, String> environment) {
    var rest = new HashMap<>(environment);
    rest.keySet().removeAll(secretVariables);
    // Only Runnel's own git gets these.
    Stream.of(RunnelSettings.HTTPS_PROXY, RunnelSettings.NO_PROXY)
        .forEach(each -> get(each).ifPresent(value -> rest.put(each.variable(), value)));
    return rest;
  }

  /// Omits the values, because some are secret.
  @Override
  public String toString() {
    return "Settings" + values.keySet();
  }

  private static JsonNode parse(Path file) {
    try {
      var tree = YAML.readTree(Files.readString(file));
      if (tree.isObject() || tree.isMissingNode() || tree.isNull()) {
        return tree;
      }
      throw new SettingsException(
          "%s must hold settings, one a line, like port: 8080.".formatted(file));
    } catch (JsonProcessingException e) {
      throw new SettingsException(
          "%s is not YAML: line %d, column %d."
              .formatted(
                  file,
                  e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
                  e.getLocation() == null ? 1 : e.getLocation().getColumnNr()));
    } catch (IOException e) {
      throw new SettingsException("%s cannot be read: %s".formatted(file, e.getMessage()));
    }
  }

  private static void collect(
      String prefix,
      JsonNode tree,
      Path file,
      Map<String, String> environment,
      Map<Setting, String> values,
      Set<String> secretVariables,
      List<String> notices) {
    for (var entry : tree.properties()) {
      var key = prefix + entry.getKey();
      if (key.equals("profiles")
          || key.equals(RunDefaultsSettings.PLACE)
          || key.equals(RouteSettings.PLACE)
          || key.equals(EnvironmentSettings.PLACE)
          || key.equals(FactorySettings.PLACE)
          || key.equals(HookSettings.PLACE)
          || PolicySettings.reads(key)) {
        continue;
      }
      var value = entry.getValue();
      var setting = atPath(key, file, notices);
      if (value.isObject() && setting.isEmpty()) {
        collect(key + ".", value, file, environment, values, secretVariables, notices);
        continue;
      }
      if (setting.isEmpty()) {
        throw new SettingsException(
            "%s: there is no setting %s.%s"
                .formatted(file, key, suggestion(key, ALL.stream().map(Setting::path).toList())));
      }
      if (setting.get().isSecret()) {
        secretVariables.addAll(references(value.toString()));
      }
      if (value.isObject()) {
        var all = new ArrayList<String>();
        for (var each : value.properties()) {
          var place = key + "." + each.getKey();
          all.add(
              each.getKey() + "=" + resolve(each.getValue().asText(), place, file, environment));
        }
        values.put(setting.get(), String.join(",", all));
      } else if (value.isArray()) {
        var all = new ArrayList<String>();
        value.forEach(each -> all.add(resolve(each.asText(), key, file, environment)));
        if (all.isEmpty() && setting.get().equals(RunnelSettings.AGENTS_EGRESS)) {
          // A blank value would be the default, which permits hosts.
          all.addAll(EgressSetting.NONE.entries());
        }
        values.put(setting.get(), String.join(",", all));
      } else if (!value.isNull()) {
        values.put(setting.get(), resolve(text(setting.get(), value), key, file, environment));
      }
    }
  }

  /// YAML reads `off` as false.
  private static String text(Setting setting, JsonNode value) {
    var isOff = value.isBoolean() && !value.booleanValue();
    return isOff && setting.formerOff().filter("false"::equals).isEmpty()
        ? Setting.OFF
        : value.asText();
  }

  private static Optional<Setting> atPath(String path, Path file, List<String> notices) {
    var setting = ALL.stream().filter(each -> each.path().equals(path)).findFirst();
    if (setting.isPresent()) {
      return setting;
    }
    var renamed =
        ALL.stream().filter(each -> each.formerPath().filter(path::equals).isPresent()).findFirst();
    renamed.ifPresent(
        it -> notices.add("%s: write %s instead of %s.".formatted(file, it.path(), path)));
    return renamed;
  }

  /// Resolves a secret in a section of the file that is read separately.
  private static String resolveSecret(
      String secret, Path file, Map<String, String> environment, Set<String> secretVariables) {
    secretVariables.addAll(references(secret));
    return resolve(secret, HookSettings.PLACE, file, environment);
  }

  private static List<String> references(String text) {
    return REFERENCE.matcher(text).results().map(reference -> reference.group(1)).toList();
  }

  private static String resolve(
      String text, String key, Path file, Map<String, String> environment) {
    return REFERENCE
        .matcher(text)
        .replaceAll(
            reference -> {
              var value = environment.get(reference.group(1));
              if (value == null) {
                throw new SettingsException(
                    "%s: %s asks for the variable %s, which is not set."
                        .formatted(file, key, reference.group(1)));
              }
              return Matcher.quoteReplacement(value);
            });
  }

  private static void fromEnvironment(
      Map<String, String> environment, Map<Setting, String> values, Map<Setting, String> origins) {
    for (var entry : new TreeMap<>(environment).entrySet()) {
      var variable = entry.getKey();
      var setting = find(variable);
      if (setting.isPresent()) {
        values.put(setting.get(), entry.getValue());
        origins.put(setting.get(), ENVIRONMENT);
      } else if (variable.equals(PORT_ALIAS) && !isInjected(variable, entry.getValue())) {
        if (environment.getOrDefault(RunnelSettings.PORT.variable(), "").isBlank()) {
          values.put(RunnelSettings.PORT, entry.getValue());
          origins.put(RunnelSettings.PORT, PORT_ALIAS_ORIGIN);
        }
      } else if (variable.startsWith(PREFIX)
          && !NOT_SETTINGS.contains(variable)
          && !isInjected(variable, entry.getValue())) {
        throw new SettingsException(
            "There is no setting %s (in the environment).%s"
                .formatted(
                    variable, suggestion(variable, ALL.stream().map(Setting::variable).toList())));
      }
    }
  }

  /// Whether Kubernetes injected the variable for a Service whose name begins with `runnel`.
  private static boolean isInjected(String variable, String value) {
    return KUBERNETES_SERVICE.matcher(variable).matches()
        || (variable.endsWith("_PORT") && ADDRESS.matcher(value).lookingAt());
  }

  private static Profiles profiles(YamlSection section, Map<String, String> environment) {
    var profiles = new HashMap<String, RunOptions>();
    section
        .entries("must hold profiles by their names")
        .forEach((name, profile) -> profiles.put(name, profile(profile, environment)));
    return new Profiles(profiles);
  }

  private static RunOptions profile(YamlSection section, Map<String, String> environment) {
    if (!section.isAbsent()) {
      section.checkKeys(PROFILE_KEYS);
    }
    Function<String, Optional<String>> option = key -> option(section.at(key), environment);
    return new RunOptions(
        Optional.empty(),
        option.apply("environment"),
        option.apply("model"),
        option.apply("skill"),
        option.apply("name"),
        Optional.empty(),
        option.apply("factory"));
  }

  private static Optional<String> option(YamlSection section, Map<String, String> environment) {
    if (section.tree().isContainerNode()) {
      throw section.wrong("must be one value");
    }
    return section.isAbsent()
        ? Optional.empty()
        : Optional.of(
            resolve(section.tree().asText(), section.place(), section.file(), environment));
  }

  /// ` Did you mean x?` for the most similar name; empty if none is similar.
  public static String suggestion(String wrong, List<String> names) {
    return names.stream()
        .min((a, b) -> Integer.compare(distance(wrong, a), distance(wrong, b)))
        .filter(nearest -> distance(wrong, nearest) <= Math.max(2, wrong.length() / 3))
        .map(nearest -> " Did you mean " + nearest + "?")
        .orElse("");
  }

  /// The edit distance (Levenshtein).
  private static int distance(String a, String b) {
    var row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int above = row[j];
        int change = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(change, Math.min(above, row[j - 1]) + 1);
        diagonal = above;
      }
    }
    return row[b.length()];
  }
}
