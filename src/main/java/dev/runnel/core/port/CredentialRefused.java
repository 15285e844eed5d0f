package dev.runnel.core.port;

/// The platform does not accept our credential. That says nothing about what was to be done: it can
/// be done when the credential works again.
public final class CredentialRefused extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// @param why one plain sentence that names the platform and says what to do
  public CredentialRefused(String why) {
    super(why);
  }

  public String why() {
    return String.valueOf(getMessage());
  }
}
