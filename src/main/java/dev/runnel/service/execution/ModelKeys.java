package dev.runnel.service.execution;

import dev.runnel.service.agent.ModelLogin;
import dev.runnel.service.egress.ModelGateway;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The keys of model providers for which an isolated agent gets placeholders.
///
/// @param placeholders the placeholders by key
/// @param names names of the variables that hold a key
/// @param gateways the gateways that add the keys, by the variable with the provider's base URL
record ModelKeys(
    Map<String, String> placeholders, Set<String> names, Map<String, ModelGateway> gateways) {
  static final ModelKeys NONE = new ModelKeys(Map.of(), Set.of(), Map.of());
  private static final String PREFIX = "added-by-runnel-";
  private static final Set<String> SCHEMES = Set.of("http", "https");

  /// @param given the variables that the agent would receive
  /// @param files the texts of the login files that it would receive
  static ModelKeys of(List<ModelLogin> logins, Map<String, String> given, List<String> files) {
    var placeholders = new LinkedHashMap<String, String>();
    var gateways = new LinkedHashMap<String, ModelGateway>();
    for (var login : logins) {
      var providerKeys = new HashMap<String, String>();
      for (var name : login.keys()) {
        for (var key : values(name, given, files)) {
          var placeholder = PREFIX + name.toLowerCase(Locale.ROOT).replace('_', '-');
          var unused =
              placeholders.containsValue(placeholder) ? placeholder + "-of-file" : placeholder;
          providerKeys.put(placeholders.computeIfAbsent(key, _ -> unused), key);
        }
      }
      var base = values(login.baseUrl(), given, files).stream().findFirst();
      var provider = base.map(ModelKeys::provider).orElse(Optional.of(login.defaultUrl()));
      // With an invalid base URL the agent does not work, but it gets no key either.
      if (!providerKeys.isEmpty() && provider.isPresent()) {
        gateways.put(
            login.baseUrl(), new ModelGateway(provider.get(), login.calls(), providerKeys));
      }
    }
    var names = logins.stream().flatMap(it -> it.keys().stream()).collect(Collectors.toSet());
    return new ModelKeys(placeholders, names, gateways);
  }

  /// The values of a variable: from the variables first, then from the files.
  private static List<String> values(String name, Map<String, String> given, List<String> files) {
    var inFiles =
        files.stream().flatMap(text -> inFile(name).matcher(text).results()).map(it -> it.group(2));
    return Stream.concat(Stream.of(given.getOrDefault(name, "")), inFiles)
        .filter(each -> !each.isBlank() && !each.equals("null"))
        .distinct()
        .toList();
  }

  /// A variable in a file of settings, in JSON, TOML or lines like `NAME=value`.
  private static Pattern inFile(String name) {
    return Pattern.compile("(\\b" + name + "[\"']?\\s*[:=]\\s*[\"']?)([^\"'\\s,}]+)");
  }

  private static Optional<URI> provider(String address) {
    try {
      var uri = new URI(address.strip());
      var scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
      return uri.getHost() != null && uri.getRawUserInfo() == null && SCHEMES.contains(scheme)
          ? Optional.of(new URI(scheme + "://" + uri.getRawAuthority() + uri.getRawPath()))
          : Optional.empty();
    } catch (URISyntaxException _) {
      return Optional.empty();
    }
  }

  /// The variables to replace: placeholders for the keys, and the base URLs of the gateways.
  ///
  /// @param given the variables that the command would receive
  Map<String, String> variables(Map<String, String> given) {
    var variables = new HashMap<String, String>();
    for (var name : names) {
      var key = given.getOrDefault(name, "");
      if (!key.isBlank()) {
        variables.put(name, placeholders.getOrDefault(key, PREFIX));
      }
    }
    gateways.forEach((name, gateway) -> variables.put(name, gateway.address()));
    return variables;
  }

  /// The text of a login file in which the keys and base URLs are replaced.
  String replaceKeys(String text) {
    var result = text;
    for (var each : placeholders.entrySet()) {
      result = result.replace(each.getKey(), each.getValue());
    }
    for (var each : gateways.entrySet()) {
      var address = Matcher.quoteReplacement(each.getValue().address());
      result = inFile(each.getKey()).matcher(result).replaceAll("$1" + address);
    }
    return result;
  }

  List<ModelGateway> allGateways() {
    return new ArrayList<>(gateways.values());
  }

  /// Leaves out the keys.
  @Override
  public String toString() {
    return "ModelKeys" + gateways.keySet();
  }
}
