package dev.runnel.core.port;

/// The platform could not be asked what was said before; asking again later may work.
public final class BackgroundUnavailable extends RuntimeException {
  private static final long serialVersionUID = 1;

  public BackgroundUnavailable(String message, Throwable cause) {
    super(message, cause);
  }
}
