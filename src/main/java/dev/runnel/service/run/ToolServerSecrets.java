package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.text.Redactor;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/// The secrets of the tool servers (`mcp_servers`) of a configuration of agents. The API shows a
/// mask in place of the variables and headers, of the login and the query of an address, and of
/// arguments that are secrets by their names, like `--token VALUE`.
public final class ToolServerSecrets {
  private static final String MASK_TEXT = "***";
  private static final JsonNode MASK = TextNode.valueOf(MASK_TEXT);
  private static final String SERVERS = "mcp_servers";
  private static final String URL = "url";
  private static final String ARGS = "args";
  private static final List<String> MEMBERS = List.of("env", "headers");

  /// Parts of the names of options, variables and headers whose values are secrets.
  private static final Set<String> SECRET_WORDS =
      Set.of("token", "secret", "passw", "pwd", "key", "auth", "credential", "cookie", "header");

  /// Short options of well-known programs for a header and for a login.
  private static final Set<String> SECRET_OPTIONS = Set.of("-H", "-u");

  private ToolServerSecrets() {}

  /// @param config the configuration, which is changed
  public static void mask(JsonNode config) {
    for (var server : config.path(SERVERS)) {
      for (var member : MEMBERS) {
        server.path(member).properties().forEach(value -> value.setValue(MASK));
      }
      if (server instanceof ObjectNode object) {
        if (server.path(URL).isTextual()) {
          object.put(URL, maskedAddress(server.path(URL).textValue()));
        }
        if (server.path(ARGS) instanceof ArrayNode args) {
          object.set(ARGS, maskedArguments(args));
        }
      }
    }
  }

  private static ArrayNode maskedArguments(ArrayNode args) {
    var shown = args.arrayNode();
    var isValueOfSecret = false;
    for (var arg : args) {
      var text = arg.asText();
      shown.add(isValueOfSecret ? MASK : TextNode.valueOf(maskedArgument(text)));
      isValueOfSecret =
          SECRET_OPTIONS.contains(text)
              || (text.startsWith("-") && !text.contains("=") && isSecretName(text));
    }
    return shown;
  }

  /// Of `--token=VALUE`, `TOKEN=VALUE` and `Authorization: VALUE`, the value is a secret.
  private static String maskedArgument(String arg) {
    var end = 0;
    while (end < arg.length() && arg.charAt(end) != '=' && arg.charAt(end) != ':') {
      end++;
    }
    if (end < arg.length() && !arg.startsWith("://", end) && isSecretName(arg.substring(0, end))) {
      return arg.substring(0, end + 1) + MASK_TEXT;
    }
    return Redactor.PATTERNS.redact(arg).equals(arg) ? maskedAddress(arg) : MASK_TEXT;
  }

  private static boolean isSecretName(String name) {
    var lowerCase = name.toLowerCase(Locale.ROOT);
    return SECRET_WORDS.stream().anyMatch(lowerCase::contains);
  }

  /// Masks the login and the query; a text that is no URL stays as it is.
  private static String maskedAddress(String text) {
    var begin = text.indexOf("://");
    if (begin < 0) {
      return text;
    }
    var authority = begin + 3;
    var end = authority;
    while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    var login = text.lastIndexOf('@', end - 1);
    var shown =
        login < authority ? text : text.substring(0, authority) + MASK_TEXT + text.substring(login);
    var query = shown.indexOf('?');
    return query < 0 ? shown : shown.substring(0, query + 1) + MASK_TEXT;
  }

  /// @throws RequestProblem if it has a mask instead of a secret
  public static void requireNoMask(JsonNode config) {
    for (var server : config.path(SERVERS).properties()) {
      var path = SERVERS + "." + server.getKey() + ".";
      for (var member : MEMBERS) {
        for (var value : server.getValue().path(member).properties()) {
          if (value.getValue().equals(MASK)) {
            throw isMask(path + member + "." + value.getKey());
          }
        }
      }
      if (server.getValue().path(URL).asText().contains(MASK_TEXT)) {
        throw isMask(path + URL);
      }
      var args = server.getValue().path(ARGS);
      for (int i = 0; i < args.size(); i++) {
        if (args.get(i).asText().contains(MASK_TEXT)) {
          throw isMask(path + ARGS + "." + i);
        }
      }
    }
  }

  private static RequestProblem isMask(String member) {
    return RequestProblem.invalid(member + " is a mask: send the value");
  }

  /// Replaces masks by the stored values, since a caller may send back what it got. A stored secret
  /// only goes where it went before: to the same command with the same arguments, or to the same
  /// scheme, host and port.
  ///
  /// @throws RequestProblem if a server that has a mask goes elsewhere
  public static void unmask(JsonNode changes, JsonNode stored) {
    var shown = stored.deepCopy();
    mask(shown);
    for (var server : changes.path(SERVERS).properties()) {
      var before = stored.path(SERVERS).path(server.getKey());
      if (!(server.getValue() instanceof ObjectNode now) || !before.isObject()) {
        continue;
      }
      for (var member : List.of(URL, ARGS)) {
        if (now.has(member)
            && now.get(member).equals(shown.path(SERVERS).path(server.getKey()).path(member))) {
          now.set(member, before.get(member));
        }
      }
      var moved = movedMember(now, before);
      for (var member : MEMBERS) {
        for (var value : now.path(member).properties()) {
          if (value.getValue().equals(MASK) && before.path(member).has(value.getKey())) {
            if (moved.isPresent()) {
              throw RequestProblem.invalid(
                  "%1$s.%2$s.%3$s.%4$s is a mask, and %1$s.%2$s.%5$s has changed: send the value"
                      .formatted(SERVERS, server.getKey(), member, value.getKey(), moved.get()));
            }
            value.setValue(before.path(member).get(value.getKey()));
          }
        }
      }
    }
  }

  /// The member by which a server is no longer the one that may get the stored secrets.
  private static Optional<String> movedMember(JsonNode now, JsonNode before) {
    for (var member : List.of("warp_id", "command", ARGS)) {
      if (!now.path(member).equals(before.path(member))) {
        return Optional.of(member);
      }
    }
    return origin(now.path(URL).asText()).equals(origin(before.path(URL).asText()))
        ? Optional.empty()
        : Optional.of(URL);
  }

  /// The scheme, host and port; a text that is no URL stands for itself.
  private static String origin(String url) {
    try {
      var uri = new URI(url);
      if (uri.getScheme() == null || uri.getHost() == null) {
        return url;
      }
      var scheme = uri.getScheme().toLowerCase(Locale.ROOT);
      var port = uri.getPort() < 0 ? scheme.equals("https") ? 443 : 80 : uri.getPort();
      return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + ":" + port;
    } catch (URISyntaxException _) {
      return url;
    }
  }
}
