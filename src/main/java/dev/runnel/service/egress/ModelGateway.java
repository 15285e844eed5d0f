package dev.runnel.service.egress;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A provider of models whose keys the proxy adds to requests, so that the agent can ask the models
/// without having a key. The agent has a placeholder for each key and reaches the provider as plain
/// HTTP at [#address]; the proxy uses the provider's own scheme. Only the given calls are passed
/// on, and only with a placeholder: with a key of its own, an agent could send what it sees to
/// another account of the provider. Pure.
///
/// @param provider its address, `https`, or `http` where the operator wrote that; a path may follow
/// @param calls the permitted requests as `METHOD PATH`, the path below the address
/// @param keys from placeholders to the keys in their place
public record ModelGateway(URI provider, Pattern calls, Map<String, String> keys) {
  /// The host of all gateways, which no resolver knows.
  static final String HOST = "model.runnel";

  private static final int PORT = 3129;

  /// What the [EgressRelay] offers inside, at its port on loopback: programs use no proxy for it.
  public static final String SERVICE = HOST + ":" + PORT;

  /// Ways to choose an answer's form; others could hold a key.
  private static final Pattern QUERY = Pattern.compile("beta=true|alt=sse|client_version=[\\w.-]+");

  private static final Set<String> OF_KEYS =
      Set.of("authorization", "x-api-key", "x-goog-api-key", "api-key");

  /// A server could take another method, path or account from them.
  private static final Pattern REFUSED =
      Pattern.compile(
          "host|connection|keep-alive|proxy-.*|te|trailer|upgrade|sec-websocket-.*|cookie"
              + "|forwarded|x-forwarded-.*|x-original-.*|x-rewrite-.*|x-http-method.*"
              + "|x-method-override|x-goog-user-project");

  private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+");
  private static final String BEARER = "Bearer ";

  public ModelGateway {
    keys = Map.copyOf(keys);
  }

  /// The address by which the agent reaches the provider.
  public String address() {
    return "http://127.0.0.1:" + PORT + "/" + provider.getRawAuthority() + base();
  }

  private String base() {
    return provider.getRawPath().replaceAll("/+$", "");
  }

  String host() {
    return provider.getHost();
  }

  int port() {
    return provider.getPort() < 0 ? isEncrypted() ? 443 : 80 : provider.getPort();
  }

  boolean isEncrypted() {
    return "https".equals(provider.getScheme());
  }

  /// The operator has named the provider, so it is permitted wherever it is.
  EgressRules rules() {
    return new EgressRules(List.of("internal:%s:%d".formatted(host(), port())));
  }

  /// Whether a request is one of the permitted calls.
  ///
  /// @param target path and query, without a host
  boolean accepts(String method, String target) {
    var parts = target.split("\\?", 2);
    var prefix = "/" + provider.getRawAuthority() + base();
    return parts[0].startsWith(prefix)
        && calls.matcher(method + " " + parts[0].substring(prefix.length())).matches()
        && (parts.length == 1 || QUERY.matcher(parts[1]).matches());
  }

  /// The request as the provider gets it, with keys for the placeholders; empty if it has none.
  ///
  /// @param head the lines of an accepted request
  Optional<String> forwarded(List<String> head) {
    var first = head.getFirst().split(" ", -1);
    var target = first[1].substring(1 + provider.getRawAuthority().length());
    var lines = new ArrayList<String>();
    lines.add(first[0] + " " + target + " HTTP/1.1");
    lines.add("Host: " + provider.getRawAuthority());
    lines.add("Connection: close");
    var hasKey = false;
    for (var line : head.subList(1, head.size())) {
      var header = line.split(":", 2);
      var name = header[0].toLowerCase(Locale.ROOT);
      if (header.length == 2 && OF_KEYS.contains(name)) {
        var key = key(header[1].strip());
        key.ifPresent(value -> lines.add(name + ": " + value));
        hasKey |= key.isPresent();
      } else if (header.length == 2
          && NAME.matcher(name).matches()
          && !REFUSED.matcher(name).matches()) {
        lines.add(line);
      }
    }
    return hasKey ? Optional.of(String.join("\r\n", lines) + "\r\n\r\n") : Optional.empty();
  }

  private Optional<String> key(String value) {
    var isBearer = value.startsWith(BEARER);
    var placeholder = isBearer ? value.substring(BEARER.length()).strip() : value;
    return Optional.ofNullable(keys.get(placeholder)).map(key -> isBearer ? BEARER + key : key);
  }

  /// Leaves out the keys.
  @Override
  public String toString() {
    return "ModelGateway[" + provider + "]";
  }
}
