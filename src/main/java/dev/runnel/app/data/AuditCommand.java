package dev.runnel.app.data;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.DurationsAndSizes;
import dev.runnel.database.DatabaseException;
import dev.runnel.store.audit.AuditLog;
import java.io.PrintStream;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.Optional;

/// `./runnel audit export` and `./runnel audit verify`: read the audit log of a running or stopped
/// server.
public record AuditCommand(Config config, InstantSource clock, PrintStream out, PrintStream err) {
  /// @param chosen `since` and `until` of an export
  /// @return the exit code
  public int run(String verb, Map<String, String> chosen) {
    Optional<Instant> since;
    Optional<Instant> until;
    try {
      since = Optional.ofNullable(chosen.get("since")).map(this::time);
      until = Optional.ofNullable(chosen.get("until")).map(this::time);
    } catch (DateTimeParseException e) {
      err.println(
          "%s is neither a date like 2026-11-01, a time like 2026-11-01T09:00:00Z, nor an age like 7d."
              .formatted(e.getParsedString()));
      return 2;
    }
    try (var database = BotDatabase.open(config)) {
      var log = new AuditLog(database);
      if (verb.equals("export")) {
        log.export(since, until, out::println);
        return 0;
      }
      return verify(log);
    } catch (DatabaseException e) {
      err.println(
          "The audit log cannot be read. Check that a Runnel of this version was started, and that"
              + " you may read its database.");
      return 1;
    }
  }

  private int verify(AuditLog log) {
    var verification = log.verify();
    if (verification.problem().isPresent()) {
      err.println(
          "%s The %d entries before it are intact."
              .formatted(verification.problem().get(), verification.entries()));
      return 1;
    }
    out.println(
        "ok: %d entries%s"
            .formatted(
                verification.entries(),
                verification.forgotten() == 0
                    ? ""
                    : ", %d of them without their personal part, which ./runnel forget deleted"
                        .formatted(verification.forgotten())));
    return 0;
  }

  private Instant time(String text) {
    var age = DurationsAndSizes.time(text);
    if (age.isPresent()) {
      return clock.instant().minus(age.get());
    }
    return text.contains("T")
        ? Instant.parse(text)
        : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
  }
}
