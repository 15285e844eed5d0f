package dev.runnel.service.egress;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The first line and the headers of an agent's HTTP/1 request. Only requests that every server
/// reads in the same way are accepted (RFC 9112), because an agent must not hide a second request
/// in the first.
///
/// @param target as the request has it: a path, a URL or an authority
/// @param version `HTTP/1.1` or `HTTP/1.0`
/// @param headers in their order
record RequestHead(String method, String target, String version, List<Header> headers) {
  static final int MAX_BYTES = 16 * 1024;

  /// A name of RFC 9110, and a value of any bytes.
  private static final Pattern HEADER =
      Pattern.compile("^(?<name>[!#$%&'*+.^_`|~0-9A-Za-z-]++):(?<value>.*+)", Pattern.DOTALL);

  private static final Pattern FIRST_LINE =
      Pattern.compile(
          "^(?<method>[!#$%&'*+.^_`|~0-9A-Za-z-]++) (?<target>[^ ]++) (?<version>HTTP/1\\.[01])");

  private static final Pattern LENGTH = Pattern.compile("^[0-9]{1,18}");
  private static final String CONTENT_LENGTH = "content-length";
  private static final String TRANSFER_ENCODING = "transfer-encoding";

  /// Headers that only one value can have.
  private static final Set<String> SINGLE = Set.of("host", CONTENT_LENGTH, TRANSFER_ENCODING);

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

  /// Reads a request up to its body.
  ///
  /// @return empty if the client closes the connection before the end of the head
  static Optional<RequestHead> read(InputStream in) throws IOException, MalformedRequestException {
    var lines = new ArrayList<String>();
    var line = new ByteArrayOutputStream();
    for (int size = 0; size < MAX_BYTES; size++) {
      var next = in.read();
      if (next == '\r') {
        next = in.read();
        size++;
        if (next >= 0 && next != '\n') {
          throw new MalformedRequestException("The request has a carriage return within a line.");
        }
        if (next == '\n' && line.size() == 0) {
          return Optional.of(parse(lines));
        }
        lines.add(line.toString(StandardCharsets.ISO_8859_1));
        line.reset();
      } else if (next == '\n') {
        throw new MalformedRequestException("The request has a line that does not end with CR LF.");
      } else {
        line.write(next);
      }
      if (next < 0) {
        return Optional.empty();
      }
    }
    throw new MalformedRequestException(
        "The head of the request is longer than %,d bytes.".formatted(MAX_BYTES));
  }

  /// Parses the lines of a request without their ends.
  static RequestHead parse(List<String> lines) throws MalformedRequestException {
    var first = FIRST_LINE.matcher(lines.isEmpty() ? "" : lines.getFirst());
    if (!first.matches()) {
      throw new MalformedRequestException("This proxy supports HTTP/1.1 only.");
    }
    var headers = new ArrayList<Header>();
    for (var line : lines.subList(1, lines.size())) {
      var header = HEADER.matcher(line);
      if (!header.matches() || hasControlCharacter(line)) {
        throw new MalformedRequestException(
            "The request has a header that is not of the form NAME: VALUE on one line.");
      }
      headers.add(new Header(header.group("name"), header.group("value").strip()));
    }
    var head =
        new RequestHead(
            first.group("method"), first.group("target"), first.group("version"), headers);
    head.requireOneMeaning();
    return head;
  }

  private static boolean hasControlCharacter(String line) {
    return line.chars().anyMatch(it -> (it < ' ' && it != '\t') || it == 0x7f);
  }

  private void requireOneMeaning() throws MalformedRequestException {
    for (var name : SINGLE) {
      if (values(name).count() > 1) {
        throw new MalformedRequestException("The request has several headers %s.".formatted(name));
      }
    }
    var length = values(CONTENT_LENGTH).findFirst();
    var encoding = values(TRANSFER_ENCODING).findFirst();
    if (length.isPresent() && encoding.isPresent()) {
      throw new MalformedRequestException(
          "The request has both Content-Length and Transfer-Encoding.");
    }
    if (length.isPresent() && !LENGTH.matcher(length.get()).matches()) {
      throw new MalformedRequestException("The Content-Length is not a number.");
    }
    if (encoding.isPresent()
        && !(encoding.get().equalsIgnoreCase("chunked") && version.equals("HTTP/1.1"))) {
      throw new MalformedRequestException("This proxy supports Transfer-Encoding: chunked only.");
    }
  }

  /// Whether the body is in chunks; else it has [#length] bytes.
  boolean isChunked() {
    return values(TRANSFER_ENCODING).findAny().isPresent();
  }

  /// The size of the body in bytes, unless it is in chunks.
  long length() {
    return values(CONTENT_LENGTH).findFirst().map(Long::parseLong).orElse(0L);
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
