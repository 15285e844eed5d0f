package dev.runnel.app.server;

import java.util.Optional;

/// The version of this program.
public final class Version {
  private Version() {}

  /// The version of the package; `(unpackaged)` if the classes are not in one.
  public static String current() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
        .orElse("(unpackaged)");
  }
}
