package dev.runnel.core.port;

import dev.runnel.core.model.conversation.SurfaceId;
import java.util.Optional;

/// The platform does not accept our credential. The operation itself did not fail: it can be
/// repeated once the credential is valid again.
public final class CredentialRefused extends RuntimeException {
  private static final long serialVersionUID = 1;
  private final transient Optional<SurfaceId> surface;

  /// @param why one plain sentence that names the platform and the remedy
  public CredentialRefused(String why) {
    super(why);
    surface = Optional.empty();
  }

  private CredentialRefused(CredentialRefused cause, SurfaceId surface) {
    super(cause.why(), cause);
    this.surface = Optional.of(surface);
  }

  /// A copy that names the platform, for callers that deal with several.
  public CredentialRefused by(SurfaceId platform) {
    return new CredentialRefused(this, platform);
  }

  public String why() {
    return String.valueOf(getMessage());
  }

  /// The platform; empty if it is that of the conversation at hand.
  public Optional<SurfaceId> surface() {
    return surface;
  }
}
