package dev.runnel.core.port;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;

/// Reads the audit log, which the [Store] writes.
public interface AuditReader {
  /// The newest entries that match the filter, newest first.
  ///
  /// @param before only entries with a smaller number; [Long#MAX_VALUE] for all
  /// @param limit number of entries at most
  List<Line> newest(Filter filter, long before, int limit);

  /// Which entries to read; empty for all.
  ///
  /// @param person a part of a person's id or name, ignoring case
  /// @param verb as stored: `sign-in`
  /// @param result as stored: `refused`
  /// @param day in UTC
  record Filter(
      Optional<String> person,
      Optional<String> verb,
      Optional<String> result,
      Optional<LocalDate> day) {
    public static final Filter ALL =
        new Filter(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
  }

  /// A stored entry. A newer version may have written verbs and results that this one does not
  /// know.
  ///
  /// @param who empty if it was forgotten, or if the entry is damaged
  /// @param place the conversation's id
  /// @param details empty if they were forgotten
  /// @param isDamaged whether the entry cannot be read
  /// @param json the entry as one line of JSON
  record Line(
      long seq,
      Instant at,
      String verb,
      String result,
      Optional<Who> who,
      Optional<String> place,
      String rule,
      Optional<String> run,
      String details,
      boolean isDamaged,
      String json) {}

  /// @param id with its surface: `slack:U012345`
  record Who(String id, String name) {}
}
