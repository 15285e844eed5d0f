package dev.runnel.app;

import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.SurfaceId;
import java.util.Optional;

/// Whoever runs a command on this machine, for the audit log.
final class CommandLinePerson {
  private static final SurfaceId DOOR = new SurfaceId("command-line");

  private CommandLinePerson() {}

  static AuditEntry.Person here() {
    var name = Optional.ofNullable(System.getProperty("user.name")).orElse("?");
    return new AuditEntry.Person(DOOR + ":" + name, name, Optional.empty(), DOOR, Optional.empty());
  }
}
