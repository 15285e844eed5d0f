package dev.runnel.service.egress;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/// Parses the commands at the beginning of a request to `git-receive-pack`, as
/// [gitprotocol-pack](https://git-scm.com/docs/gitprotocol-pack#_reference_update_request_and_packfile_transfer)
/// specifies them.
final class PushCommands {
  private static final int MAX_COMMANDS = 100;
  private static final int LENGTH = 4;

  /// `OLD NEW refs/heads/NAME`, and after a NUL the client's capabilities.
  private static final Pattern COMMAND =
      Pattern.compile(
          "^[0-9a-f]{40,64} (?<commit>[0-9a-f]{40,64}) refs/heads/(?<branch>[^\\s\\x00-\\x1f]+)"
              + "(?:\\x00.*)?\\n?");

  private static final Pattern ZERO_ID = Pattern.compile("0+");

  /// A branch, and its new commit.
  record Update(String branch, String commit) {}

  private PushCommands() {}

  /// The branches that a request updates; empty if there are none, or the request has a form that
  /// git does not use.
  ///
  /// @param body read up to the end of the commands
  static List<Update> updates(RequestHead head, InputStream body) throws IOException {
    // With `Expect`, the client has not sent the body yet.
    if (head.values("content-encoding").findAny().isPresent()
        || head.values("expect").findAny().isPresent()) {
      return List.of();
    }
    var content = head.isChunked() ? new ChunkedInput(body) : body;
    var updates = new ArrayList<Update>();
    while (updates.size() < MAX_COMMANDS) {
      var packet = packet(content);
      if (packet.isEmpty()) {
        break;
      }
      var command = COMMAND.matcher(packet);
      if (command.matches() && !ZERO_ID.matcher(command.group("commit")).matches()) {
        updates.add(new Update(command.group("branch"), command.group("commit")));
      }
    }
    return updates;
  }

  /// The next packet; empty if it ends the commands.
  private static String packet(InputStream in) throws IOException {
    var length = in.readNBytes(LENGTH);
    try {
      var size = Integer.parseInt(new String(length, StandardCharsets.US_ASCII), 16) - LENGTH;
      return size <= 0 ? "" : new String(in.readNBytes(size), StandardCharsets.UTF_8);
    } catch (NumberFormatException _) {
      return "";
    }
  }

  /// Decodes a chunked body.
  private static final class ChunkedInput extends InputStream {
    private static final int MAX_LINE = 32;

    private final InputStream in;
    private int remaining;
    private boolean hasStarted;

    ChunkedInput(InputStream in) {
      this.in = in;
    }

    @Override
    public int read() throws IOException {
      if (remaining == 0) {
        if (hasStarted) {
          readLine();
        }
        hasStarted = true;
        remaining = size(readLine());
        if (remaining <= 0) {
          remaining = 0;
          return -1;
        }
      }
      remaining--;
      return in.read();
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      var first = length == 0 ? -1 : read();
      if (first < 0) {
        return length == 0 ? 0 : -1;
      }
      bytes[offset] = (byte) first;
      var more = Math.max(in.read(bytes, offset + 1, Math.min(length - 1, remaining)), 0);
      remaining -= more;
      return 1 + more;
    }

    private static int size(String line) {
      try {
        return Integer.parseInt(line.split(";", 2)[0].strip(), 16);
      } catch (NumberFormatException _) {
        return 0;
      }
    }

    private String readLine() throws IOException {
      var line = new StringBuilder();
      for (var next = in.read();
          next >= 0 && next != '\n' && line.length() < MAX_LINE;
          next = in.read()) {
        line.append((char) next);
      }
      return line.toString();
    }
  }
}
