package dev.runnel.service.egress;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/// A repository whose token the proxy adds to requests of git, so that the agent can fetch and push
/// without having the token. The agent reaches it as plain HTTP at [#address], which only the proxy
/// knows; the proxy uses the repository's own scheme. Nothing but git's own requests to this one
/// repository gets the token. Pure.
///
/// @param repository its address for git, `https`, or `http` on this machine
/// @param token the password that the server accepts
public record GitGateway(URI repository, String token) {
  /// The host of all gateways, which no resolver knows.
  public static final String HOST = "git.runnel";

  private static final String USER = "x-access-token";
  private static final String FETCH = "git-upload-pack";
  private static final String PUSH = "git-receive-pack";

  /// An agent could make a server do something else with other headers.
  private static final Set<String> HEADERS =
      Set.of(
          "accept",
          "accept-encoding",
          "accept-language",
          "cache-control",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "git-protocol",
          "pragma",
          "transfer-encoding",
          "user-agent");

  /// The address by which the agent's git reaches the repository.
  public String address() {
    return "http://" + HOST + path();
  }

  private String path() {
    return "/" + repository.getRawAuthority() + repository.getRawPath().replaceAll("/+$", "");
  }

  String host() {
    return repository.getHost();
  }

  int port() {
    var usual = isEncrypted() ? 443 : 80;
    return repository.getPort() < 0 ? usual : repository.getPort();
  }

  boolean isEncrypted() {
    return "https".equals(repository.getScheme());
  }

  /// Whether a request to [#HOST] is one of git's to this repository.
  boolean accepts(String method, URI target) {
    var path = target.getRawPath();
    var query = target.getRawQuery();
    if (method.equals("GET")) {
      return path.equals(path() + "/info/refs")
          && List.of("service=" + FETCH, "service=" + PUSH).contains(String.valueOf(query));
    }
    return method.equals("POST")
        && query == null
        && List.of(path() + "/" + FETCH, path() + "/" + PUSH).contains(path);
  }

  /// Whether an accepted request pushes.
  boolean isPush(String method, URI target) {
    return method.equals("POST") && target.getRawPath().equals(path() + "/" + PUSH);
  }

  /// Where the server lists all refs of the repository, in the first version of git's protocol.
  URI refs() {
    var address = repository.toString().replaceAll("/+$", "");
    return URI.create(address + "/info/refs?service=" + FETCH);
  }

  /// The header with the token.
  String authorization() {
    var login = (USER + ":" + token).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(login);
  }

  /// The request as the server gets it, with the token.
  ///
  /// @param head the lines of an accepted request
  String forwarded(List<String> head, URI target) {
    var first = head.getFirst().split(" ", -1);
    var path = target.getRawPath().substring(1 + repository.getRawAuthority().length());
    var query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
    var lines = new ArrayList<String>();
    lines.add(first[0] + " " + path + query + " " + first[2]);
    lines.add("Host: " + repository.getRawAuthority());
    lines.add("Connection: close");
    lines.add("Authorization: " + authorization());
    head.stream()
        .skip(1)
        .filter(line -> HEADERS.contains(line.split(":", 2)[0].toLowerCase(Locale.ROOT)))
        .forEach(lines::add);
    return String.join("\r\n", lines) + "\r\n\r\n";
  }

  /// The variables by which git uses the gateways instead of the repositories' own addresses.
  ///
  /// @param first the number of settings that the variables of git have already
  public static Map<String, String> variables(List<GitGateway> gateways, int first) {
    if (gateways.isEmpty()) {
      return Map.of();
    }
    var settings = new ArrayList<Map.Entry<String, String>>();
    for (int i = 0; i < gateways.size(); i++) {
      var gateway = gateways.get(i);
      var key = "url." + gateway.address() + ".insteadOf";
      settings.add(Map.entry("GIT_CONFIG_KEY_" + (first + i), key));
      settings.add(Map.entry("GIT_CONFIG_VALUE_" + (first + i), gateway.repository().toString()));
    }
    settings.add(Map.entry("GIT_CONFIG_COUNT", Integer.toString(first + gateways.size())));
    return settings.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /// Leaves out the token.
  @Override
  public String toString() {
    return "GitGateway[" + repository + "]";
  }
}
