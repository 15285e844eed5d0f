package dev.runnel.service.store.query;

import dev.runnel.database.Rows;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import java.util.Arrays;
import java.util.Locale;

/// The sort keys for lists of runs.
enum RunSort {
  UPDATED_AT,
  CREATED_AT,
  TITLE,
  /// By skill; runs without one come last.
  AGENT;

  private static final String LAST = "\uDBFF\uDFFF";

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// @param embedded whether it is for SQLite
  String column(boolean ascending, boolean embedded) {
    return switch (this) {
      case UPDATED_AT, CREATED_AT, TITLE -> word();
      case AGENT ->
          ascending
              ? "COALESCE(skill_spec, %s(1114111))".formatted(embedded ? "char" : "chr")
              : "COALESCE(skill_spec, '')";
    };
  }

  /// The sort value of a run, as stored in a cursor.
  String place(RunRow run, boolean ascending) {
    return switch (this) {
      case UPDATED_AT -> Long.toString(Rows.micros(run.updatedAt()));
      case CREATED_AT -> Long.toString(Rows.micros(run.createdAt()));
      case TITLE -> run.title();
      case AGENT -> run.configNode().path("skill_spec").asText(ascending ? LAST : "");
    };
  }

  Object value(String place) {
    return switch (this) {
      case UPDATED_AT, CREATED_AT -> Long.valueOf(place);
      case TITLE, AGENT -> place;
    };
  }

  /// @throws RequestProblem if the word is no sort key
  static RunSort of(String word) {
    return Arrays.stream(values())
        .filter(each -> each.word().equals(word))
        .findFirst()
        .orElseThrow(
            () -> RequestProblem.invalid("sort_by must be updated_at, created_at, title or agent"));
  }
}
