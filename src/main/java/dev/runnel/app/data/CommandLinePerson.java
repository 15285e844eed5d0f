package dev.runnel.app.data;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.conversation.SurfaceId;
import java.util.Optional;

/// The person on this machine, for the audit log.
public final class CommandLinePerson {
  private static final SurfaceId SURFACE = new SurfaceId("command-line");
  private static final SurfaceId SIGNAL = new SurfaceId("signal");

  /// The unknown sender of a HUP signal to the process.
  public static final AuditEntry.Person HANG_UP =
      new AuditEntry.Person(
          SIGNAL + ":SIGHUP", "SIGHUP", Optional.empty(), SIGNAL, Optional.empty());

  private CommandLinePerson() {}

  /// The account that runs this process.
  static AuditEntry.Person here() {
    return of(account());
  }

  /// The name of the account that runs this process.
  public static String account() {
    return Optional.ofNullable(System.getProperty("user.name")).orElse("");
  }

  /// @param account its name on this machine; may be blank
  public static AuditEntry.Person of(String account) {
    var name = account.isBlank() ? "?" : account.strip();
    return new AuditEntry.Person(
        SURFACE + ":" + name, name, Optional.empty(), SURFACE, Optional.empty());
  }
}
