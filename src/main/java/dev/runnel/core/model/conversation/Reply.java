package dev.runnel.core.model.conversation;

/// The HTTP response to a request.
///
/// @param contentType with charset where it is text; empty for an empty body
public record Reply(int status, String contentType, String body) {
  public static Reply empty(int status) {
    return new Reply(status, "", "");
  }

  public static Reply json(int status, String body) {
    return new Reply(status, "application/json; charset=utf-8", body);
  }

  public static Reply text(int status, String body) {
    return new Reply(status, "text/plain; charset=utf-8", body);
  }
}
