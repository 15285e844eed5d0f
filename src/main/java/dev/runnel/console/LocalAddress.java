package dev.runnel.console;

import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;

/// Recognizes addresses that are reachable from this machine only.
final class LocalAddress {
  private static final Pattern LOCAL =
      Pattern.compile("^(?:localhost|.*\\.localhost|127(?:\\.\\d+){1,3}|0\\.0\\.0\\.0|\\[::1?\\])");

  private LocalAddress() {}

  static boolean isLocal(URI address) {
    var host = Objects.requireNonNullElse(address.getHost(), "localhost");
    return LOCAL.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }
}
