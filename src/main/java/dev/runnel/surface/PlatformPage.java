package dev.runnel.surface;

import java.util.Map;
import java.util.function.UnaryOperator;

/// A page that a platform shows in browsers, for `GET` requests.
@FunctionalInterface
public interface PlatformPage {
  /// @param query the first value of each parameter
  /// @param cookie the value of a cookie; empty if there is none
  Html show(Map<String, String> query, UnaryOperator<String> cookie);

  /// @param html the whole document
  record Html(int status, Map<String, String> headers, String html) {
    public Html {
      headers = Map.copyOf(headers);
    }
  }
}
