package dev.runnel.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;

/// A line of a table of proofs: what must hold, and the tests that show it.
///
/// @param name what the line is about
/// @param holds in words
/// @param tests each as
///   `surface.jira.JiraAuthenticationTest#dataCenterAcceptsTheSecretAsABasicPassword`, below
///   `dev.runnel`
public record Proof(String name, String holds, List<String> tests) {
  private static final String ROOT = "dev.runnel.";

  /// @param table a file below `proofs`: lines of three columns, the last with tests between spaces
  public static List<Proof> table(String table) {
    try (var file =
        Objects.requireNonNull(Proof.class.getResourceAsStream("/proofs/" + table), table)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split("\\s*\\|\\s*", -1))
          .map(
              cells ->
                  new Proof(cells[0], cells[1], Arrays.asList(cells[2].strip().split(" +", -1))))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Those of its tests that are none: there is no such method, or it is not run.
  public List<String> missing() {
    return tests.stream().filter(test -> !isThere(test)).toList();
  }

  private static boolean isThere(String test) {
    var parts = test.split("#", 2);
    try {
      return parts.length == 2
          && methods(Class.forName(ROOT + parts[0]))
              .anyMatch(method -> method.getName().equals(parts[1]) && isRun(method));
    } catch (ClassNotFoundException gone) {
      return false;
    }
  }

  private static Stream<Method> methods(Class<?> type) {
    return Stream.concat(
        Arrays.stream(type.getDeclaredMethods()),
        Arrays.stream(type.getInterfaces()).flatMap(Proof::methods));
  }

  private static boolean isRun(Method method) {
    return method.isAnnotationPresent(Test.class)
        || method.isAnnotationPresent(TestFactory.class)
        || method.isAnnotationPresent(ParameterizedTest.class);
  }
}
