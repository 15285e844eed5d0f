package dev.runnel.service.egress;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A repository for which the proxy adds the token to git requests, so that the agent can fetch and
/// push without having the token. The agent sends plain HTTP to [#address], which only the proxy
/// can resolve; the proxy uses the repository's own scheme. Only git requests to this repository
/// get the token. Pure.
///
/// @param repository its URL for git: `https`, or `http` on this machine
/// @param token the password that the server accepts
public record GitGateway(URI repository, String token) {
  /// The host name of all gateways, which does not exist in DNS.
  public static final String HOST = "git.runnel";

  private static final String USER = "x-access-token";
  private static final String FETCH = "git-upload-pack";
  private static final String PUSH = "git-receive-pack";

  /// The headers that are forwarded. With others, an agent could change what the server does.
  private static final Set<String> FORWARDED_HEADERS =
      Set.of(
          """
          accept accept-encoding accept-language cache-control content-encoding content-length
          content-type expect git-protocol pragma transfer-encoding user-agent
          """
              .split("\\s+"));

  /// The URL that the agent's git uses for the repository.
  public String address() {
    return "http://" + HOST + path();
  }

  private String path() {
    return "/" + repository.getRawAuthority() + repository.getRawPath().replaceAll("(?<!/)/+$", "");
  }

  String host() {
    return repository.getHost();
  }

  int port() {
    return EgressRules.port(repository);
  }

  boolean isEncrypted() {
    return "https".equals(repository.getScheme());
  }

  /// Whether a request to [#HOST] is a git request to this repository.
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

  /// The URL at which the server lists all refs of the repository, in version 0 of git's protocol.
  URI refs() {
    var address = repository.toString().replaceAll("(?<!/)/+$", "");
    return URI.create(address + "/info/refs?service=" + FETCH);
  }

  /// The value of the `Authorization` header with the token.
  String authorization() {
    var login = (USER + ":" + token).getBytes(StandardCharsets.UTF_8);
    return "Basic " + Base64.getEncoder().encodeToString(login);
  }

  /// The head of the request that is sent to the server, with the token.
  ///
  /// @param head of an accepted request
  String forwarded(RequestHead head, URI target) {
    var path = target.getRawPath().substring(1 + repository.getRawAuthority().length());
    var query = target.getRawQuery() == null ? "" : "?" + target.getRawQuery();
    var headers =
        Stream.concat(
                Stream.of(new RequestHead.Header("Authorization", authorization())),
                head.headers().stream()
                    .filter(header -> FORWARDED_HEADERS.contains(header.lowerCaseName())))
            .toList();
    return head.forwarded(repository.getRawAuthority(), path + query, headers);
  }

  /// The variables that make git use the gateways instead of the repositories' own URLs.
  ///
  /// @param first the number of settings that git's variables already contain
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
