package dev.runnel.service.egress;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The first line and the headers of an agent's HTTP/1 request. Pure.
///
/// @param target as the request has it: a path, a URL or an authority
/// @param version `HTTP/1.1` or `HTTP/1.0`
/// @param headers in their order
record RequestHead(String method, String target, String version, List<Header> headers) {
  /// A name of RFC 9110, and a value of any bytes.
  private static final Pattern HEADER =
      Pattern.compile("(?<name>[!#$%&'*+.^_`|~0-9A-Za-z-]+):(?<value>.*)", Pattern.DOTALL);

  /// @param name as sent
  /// @param value without spaces around it
  record Header(String name, String value) {
    String lowerCaseName() {
      return name.toLowerCase(Locale.ROOT);
    }
  }

  RequestHead {
    headers = List.copyOf(headers);
  }

  /// Parses the lines of a request. A line that is not a header in today's form, such as a folded
  /// one or one with a space before the colon, is left out, because servers read it differently.
  ///
  /// @return empty if the first line is not that of an HTTP/1 request
  static Optional<RequestHead> parse(List<String> lines) {
    var first = lines.isEmpty() ? new String[0] : lines.getFirst().split(" ", -1);
    if (first.length != 3 || !first[2].matches("HTTP/1\\.[01]")) {
      return Optional.empty();
    }
    var headers =
        lines.stream()
            .skip(1)
            .map(HEADER::matcher)
            .filter(header -> header.matches())
            .map(header -> new Header(header.group("name"), header.group("value").strip()))
            .toList();
    return Optional.of(new RequestHead(first[0], first[1], first[2], headers));
  }

  /// The values of all headers of this name.
  ///
  /// @param name in lower case
  Stream<String> values(String name) {
    return headers.stream()
        .filter(header -> header.lowerCaseName().equals(name))
        .map(Header::value);
  }

  /// The head that is sent to the server. It ends the connection after the response, since a
  /// further request could be for something else.
  ///
  /// @param authority the server's host and port
  /// @param path with the query
  /// @param sent the headers besides `Host` and `Connection`
  String forwarded(String authority, String path, List<Header> sent) {
    var lines = new ArrayList<String>();
    lines.add(method + " " + path + " " + version);
    lines.add("Host: " + authority);
    lines.add("Connection: close");
    sent.forEach(header -> lines.add(header.name() + ": " + header.value()));
    return String.join("\r\n", lines) + "\r\n\r\n";
  }
}
