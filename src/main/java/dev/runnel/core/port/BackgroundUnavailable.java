package dev.runnel.core.port;

/// The platform could not be read for earlier messages; a later attempt may succeed.
public final class BackgroundUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1;

  public BackgroundUnavailable(String message, Throwable cause) {
    super(message, cause);
  }
}
