package dev.runnel.app;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;

/// The sources of the tests, for pages that name tests.
///
/// @param files the text of each file, by its name without `.java`
record TestSources(Map<String, String> files) {
  private static final String ENDING = ".java";

  static TestSources read() throws IOException {
    var found = new HashMap<String, String>();
    try (var files = Files.walk(Path.of("src/test/java"))) {
      for (var file : files.filter(it -> it.toString().endsWith(ENDING)).toList()) {
        var name = file.getFileName().toString();
        found.put(name.substring(0, name.length() - ENDING.length()), Files.readString(file));
      }
    }
    return new TestSources(found);
  }

  /// Whether a class, or one that is nested in it, has a test of that name.
  boolean hasTest(String type, String method) {
    var test =
        Pattern.compile(
            "(?m)^ +(?:default )?(?:void|Stream<DynamicTest>) " + Pattern.quote(method) + "\\(");
    return test.matcher(files.getOrDefault(type, "")).find();
  }
}
