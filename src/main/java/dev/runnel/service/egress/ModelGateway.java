package dev.runnel.service.egress;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A model provider for which the proxy adds the key to requests, so that the agent can use the
/// models without having a key. The agent has a placeholder for each key and sends plain HTTP to
/// [#address]; the proxy uses the provider's own scheme. Only the given calls are forwarded, and
/// only with a placeholder: with a key of its own, an agent could send data to another account at
/// the provider. Pure.
///
/// @param provider its base URL: `https`, or `http` if the operator configured that
/// @param calls the permitted requests as `METHOD PATH` with the path below the base URL
/// @param keys the keys by their placeholders
public record ModelGateway(URI provider, Pattern calls, Map<String, String> keys) {
  /// The host name of all gateways, which does not exist in DNS.
  static final String HOST = "model.runnel";

  private static final int PORT = 3129;

  /// The service that the [EgressRelay] makes available on loopback, because programs do not use a
  /// proxy for that.
  public static final String SERVICE = HOST + ":" + PORT;

  /// Query parameters that select the format of the response. Others could contain a key.
  private static final Pattern QUERY = Pattern.compile("beta=true|alt=sse|client_version=[\\w.-]+");

  private static final Set<String> KEY_HEADERS =
      Set.of("authorization", "x-api-key", "x-goog-api-key", "api-key");

  /// The headers that are forwarded besides the key: the format of the request, and what identifies
  /// the program. From others, a server could take another method, path or account.
  private static final Pattern FORWARDED_HEADERS =
      Pattern.compile(
          "^(?:accept|accept-encoding|accept-language|content-(?:encoding|length|type)|expect"
              + "|transfer-encoding|user-agent"
              + "|anthropic-(?:beta|version|dangerous-direct-browser-access)|x-app"
              + "|x-claude-code-[a-z-]++|x-stainless-[a-z-]++|x-client-request-id"
              + "|openai-beta|originator|version|(?:conversation|session|thread)[_-]id"
              + "|x-codex-[a-z-]++|x-openai-subagent"
              + "|x-goog-api-client|x-gemini-api-privileged-user-id)");

  private static final String BEARER = "Bearer ";

  public ModelGateway {
    keys = Map.copyOf(keys);
  }

  /// The base URL that the agent uses for the provider.
  public String address() {
    return "http://127.0.0.1:" + PORT + "/" + provider.getRawAuthority() + basePath();
  }

  private String basePath() {
    return provider.getRawPath().replaceAll("(?<!/)/+$", "");
  }

  String host() {
    return provider.getHost();
  }

  int port() {
    return EgressRules.port(provider);
  }

  boolean isEncrypted() {
    return "https".equals(provider.getScheme());
  }

  /// The operator has configured the provider, so it is permitted even on an internal network.
  EgressRules rules() {
    return new EgressRules(List.of("internal:%s:%d".formatted(host(), port())));
  }

  /// Whether a request is one of the permitted calls.
  ///
  /// @param target path and query, without a host
  boolean accepts(String method, String target) {
    var parts = target.split("\\?", 2);
    var prefix = "/" + provider.getRawAuthority() + basePath();
    return parts[0].startsWith(prefix)
        && calls.matcher(method + " " + parts[0].substring(prefix.length())).matches()
        && (parts.length == 1 || QUERY.matcher(parts[1]).matches());
  }

  /// The head of the request that is sent to the provider, with keys in place of the placeholders;
  /// empty if there is no placeholder.
  ///
  /// @param head of an accepted request
  Optional<String> forwarded(RequestHead head) {
    var headers = new ArrayList<RequestHead.Header>();
    var hasKey = false;
    for (var header : head.headers()) {
      var name = header.lowerCaseName();
      if (KEY_HEADERS.contains(name)) {
        var key = key(header.value());
        key.ifPresent(value -> headers.add(new RequestHead.Header(name, value)));
        hasKey |= key.isPresent();
      } else if (FORWARDED_HEADERS.matcher(name).matches()) {
        headers.add(header);
      }
    }
    var path = head.target().substring(1 + provider.getRawAuthority().length());
    return hasKey
        ? Optional.of(head.forwarded(provider.getRawAuthority(), path, headers))
        : Optional.empty();
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
