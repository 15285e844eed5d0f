package dev.runnel.core.port;

/// The platform does not accept our credential. The operation itself did not fail: it can be
/// repeated once the credential is valid again.
public final class CredentialRefused extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// @param why one plain sentence that names the platform and the remedy
  public CredentialRefused(String why) {
    super(why);
  }

  public String why() {
    return String.valueOf(getMessage());
  }
}
