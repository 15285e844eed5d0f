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

  private static final String AFTER_ALL_TEXT = "\uDBFF\uDFFF";

  String parameterValue() {
    return name().toLowerCase(Locale.ROOT);
  }

  /// @param embedded whether it is for SQLite
  String column(boolean ascending, boolean embedded) {
    return switch (this) {
      case UPDATED_AT, CREATED_AT, TITLE -> parameterValue();
      case AGENT ->
          ascending
              ? "COALESCE(skill_spec, %s(1114111))".formatted(embedded ? "char" : "chr")
              : "COALESCE(skill_spec, '')";
    };
  }

  /// The sort value of a run, as stored in a cursor.
  String cursorValue(RunRow run, boolean ascending) {
    return switch (this) {
      case UPDATED_AT -> Long.toString(Rows.micros(run.updatedAt()));
      case CREATED_AT -> Long.toString(Rows.micros(run.createdAt()));
      case TITLE -> run.title();
      case AGENT -> {
        var skill = run.configNode().path("skill_spec").asText("");
        // A blank one is stored as none.
        yield !skill.isBlank() ? skill : ascending ? AFTER_ALL_TEXT : "";
      }
    };
  }

  Object sqlValue(String cursorValue) {
    return switch (this) {
      case UPDATED_AT, CREATED_AT -> Long.valueOf(cursorValue);
      case TITLE, AGENT -> cursorValue;
    };
  }

  /// @throws RequestProblem if the word is no sort key
  static RunSort of(String parameterValue) {
    return Arrays.stream(values())
        .filter(each -> each.parameterValue().equals(parameterValue))
        .findFirst()
        .orElseThrow(
            () -> RequestProblem.invalid("sort_by must be updated_at, created_at, title or agent"));
  }
}
