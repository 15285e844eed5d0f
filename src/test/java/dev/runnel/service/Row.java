package dev.runnel.service;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayNameGenerator;
import org.junit.jupiter.api.Test;

/// The probe of one row of the interface's tables, which `golden/agent-run-api/rows.txt` lists: it
/// sends or receives over HTTP what the row speaks of.
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface Row {
  /// The section and the row.
  String value();

  /// Calls probes by their rows.
  final class Names extends DisplayNameGenerator.Standard {
    @Override
    public String generateDisplayNameForMethod(
        List<Class<?>> enclosing, Class<?> type, Method method) {
      return Optional.ofNullable(method.getAnnotation(Row.class))
          .map(Row::value)
          .orElseGet(() -> super.generateDisplayNameForMethod(enclosing, type, method));
    }
  }
}
