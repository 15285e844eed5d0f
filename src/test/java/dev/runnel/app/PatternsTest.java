package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaStaticInitializer;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.runnel.app.CountedText.ReadTooOften;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// No text makes a regular expression slow, or overflows the stack: each character is read at most
/// 40 times. Counted, not timed. An expression for whole texts begins with `^`, so that the search
/// for it is quick, too.
class PatternsTest {
  private static final Path CLASSES = Path.of("target/classes");
  private static final Path SOURCES = Path.of("src/main/java");
  private static final int TEXTS = 500;
  private static final int LENGTH = 4 * 1024;

  /// So many of the texts are tried at full length, too.
  private static final int LONG_TEXTS = 10;

  private static final int FULL_LENGTH = 64 * 1024;
  private static final int MAX_READS = 40;
  private static final long STACK = 128 * 1024;

  /// Patterns for which the caller cuts the text, with its maximum length. They may take quadratic
  /// time.
  private static final Map<String, Integer> CUT =
      Map.of("service.output.ExecutionEvidence.TESTS", 1_000);

  /// Where patterns are made of words that are known only later. They have no quantifier beside
  /// those words that could be slow.
  private static final Set<String> NOT_CONSTANT =
      Set.of(
          // What an operator types at a prompt.
          "app.connect.GitHubGuide",
          "app.connect.SlackGuide",
          "core.command.TimingParser",
          "core.model.WholeWords",
          "core.prompt.Fence",
          "service.execution.ModelKeys",
          "service.isolation.ProgramFolders",
          "service.run.Executables",
          "service.store.RunErasure$SentMessage",
          "store.Erasure",
          "surface.slack.model.SlackText",
          "surface.tracker.Mention");

  private static final Set<String> METHODS =
      Set.of("matches", "replaceAll", "replaceFirst", "split", "splitWithDelimiters");

  private static final Pattern LITERAL =
      Pattern.compile("\\.(\\w++)\\(\\s*+\"((?:[^\"\\\\\\n]|\\\\.)++)\"");

  private static final Pattern UNICODE = Pattern.compile("(?<!\\\\)\\\\u([0-9A-Fa-f]{4})");

  private static final JavaClasses PROGRAM = new ClassFileImporter().importPath(CLASSES);

  @Test
  @Tag("slow")
  void patternsTakeLinearTimeAndLittleStack() throws Exception {
    var patterns = patterns();

    assertThat(patterns).hasSizeGreaterThan(250);
    assertThat(failures(patterns)).isEmpty();
  }

  @Test
  @Tag("slow")
  void expressionsInMethodsOfStringTakeLinearTimeAndLittleStack() throws Exception {
    Map<String, Pattern> expressions = new TreeMap<>();
    methodsOfString()
        .flatMap(call -> expression(call).stream())
        .forEach(each -> expressions.put(each, Pattern.compile(each)));

    assertThat(failures(expressions)).isEmpty();
  }

  @Test
  void methodsOfStringTakeOnlyLiteralExpressions() {
    var others =
        methodsOfString()
            .filter(call -> expression(call).isEmpty())
            .map(JavaMethodCall::getDescription);

    assertThat(others).isEmpty();
  }

  @Test
  void patternsAreConstants() {
    var others =
        calls()
            .filter(call -> call.getTargetOwner().isEquivalentTo(Pattern.class))
            .filter(call -> Set.of("compile", "matches").contains(call.getName()))
            .filter(call -> !isOnlyForConstants(call.getOrigin()))
            .map(call -> name(call.getOriginOwner().getName()))
            .collect(Collectors.toSet());

    assertThat(others).containsExactlyInAnyOrderElementsOf(NOT_CONSTANT);
  }

  private static Stream<JavaMethodCall> calls() {
    return PROGRAM.stream().flatMap(it -> it.getMethodCallsFromSelf().stream());
  }

  private static Stream<JavaMethodCall> methodsOfString() {
    return calls()
        .filter(call -> call.getTargetOwner().isEquivalentTo(String.class))
        .filter(call -> METHODS.contains(call.getName()));
  }

  private static boolean isOnlyForConstants(JavaCodeUnit unit) {
    return unit instanceof JavaStaticInitializer
        || (!unit.getCallsOfSelf().isEmpty()
            && unit.getCallsOfSelf().stream()
                .allMatch(call -> call.getOrigin() instanceof JavaStaticInitializer));
  }

  private static String name(String className) {
    return className.replace("dev.runnel.", "");
  }

  /// The literal that a call has as its expression, as far as the source shows it.
  private static Optional<String> expression(JavaMethodCall call) {
    return LITERAL
        .matcher(near(call))
        .results()
        .filter(found -> found.group(1).equals(call.getName()))
        .map(found -> UNICODE.matcher(found.group(2)).replaceAll(it -> letter(it.group(1))))
        .map(String::translateEscapes)
        .findFirst();
  }

  private static String letter(String code) {
    return String.valueOf((char) Integer.parseInt(code, 16));
  }

  private static String source(JavaClass each) {
    return each.getSource()
        .flatMap(it -> it.getFileName())
        .map(
            file -> {
              var path = SOURCES.resolve(each.getPackageName().replace('.', '/')).resolve(file);
              try {
                return Files.exists(path) ? Files.readString(path) : "";
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .orElse("");
  }

  /// The lines around a call.
  private static String near(JavaMethodCall call) {
    return source(call.getOriginOwner())
        .lines()
        .skip(Math.max(0, call.getLineNumber() - 1))
        .limit(3)
        .collect(Collectors.joining("\n"));
  }

  private static Map<String, String> failures(Map<String, Pattern> patterns)
      throws InterruptedException {
    var failures = new TreeMap<String, String>();
    for (var each : patterns.entrySet()) {
      var length = CUT.getOrDefault(each.getKey(), LENGTH);
      var reads = length == LENGTH ? MAX_READS : 4 * length;
      failure(each.getValue(), length, reads).ifPresent(why -> failures.put(each.getKey(), why));
    }
    return failures;
  }

  private static Optional<String> failure(Pattern pattern, int length, int reads)
      throws InterruptedException {
    var texts = HostileTexts.of(pattern, TEXTS, length);
    if (length == LENGTH) {
      texts.addAll(HostileTexts.of(pattern, LONG_TEXTS, FULL_LENGTH));
    }
    var failure = new ArrayList<String>();
    var thread =
        new Thread(
            null,
            () ->
                texts.stream()
                    .flatMap(text -> failure(pattern, text, reads).stream())
                    .findFirst()
                    .ifPresent(failure::add),
            "pattern",
            STACK);
    thread.start();
    thread.join();
    return failure.stream().findFirst();
  }

  private static Optional<String> failure(Pattern pattern, String text, int reads) {
    Map<String, Predicate<Matcher>> uses =
        Map.of(
            "find", PatternsTest::findsAll,
            "matches", Matcher::matches,
            "lookingAt", Matcher::lookingAt);
    for (var use : uses.entrySet()) {
      try {
        var _ = use.getValue().test(pattern.matcher(new CountedText(text, reads)));
      } catch (ReadTooOften | StackOverflowError e) {
        return Optional.of(
            "%s with %s: %s in %s…"
                .formatted(
                    e.getClass().getSimpleName(),
                    use.getKey(),
                    pattern,
                    text.substring(0, Math.min(100, text.length()))));
      }
    }
    return Optional.empty();
  }

  private static boolean findsAll(Matcher matcher) {
    var found = false;
    while (matcher.find()) {
      found = true;
    }
    return found;
  }

  /// The patterns of the program by class and name, also those inside lists, maps and records.
  private static Map<String, Pattern> patterns() throws ReflectiveOperationException {
    var patterns = new TreeMap<String, Pattern>();
    for (var each : PROGRAM) {
      if (each.getName().endsWith("-info")) {
        continue;
      }
      var type = Class.forName(each.getName(), false, PatternsTest.class.getClassLoader());
      for (var field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) && mayHold(field)) {
          field.setAccessible(true);
          collect(name(type.getName()) + "." + field.getName(), field.get(null), patterns);
        }
      }
    }
    return patterns;
  }

  private static boolean mayHold(Field field) {
    return field.getGenericType().getTypeName().contains("Pattern") || field.getType().isEnum();
  }

  private static void collect(String path, Object value, Map<String, Pattern> patterns)
      throws ReflectiveOperationException {
    switch (value) {
      case null -> {}
      case Pattern pattern -> patterns.put(path, pattern);
      case Collection<?> all -> {
        for (var each : all) {
          collect(path + "[" + each + "]", each, patterns);
        }
      }
      case Map<?, ?> map -> {
        collect(path, map.keySet(), patterns);
        collect(path, map.values(), patterns);
      }
      default -> {
        for (var field : value.getClass().getDeclaredFields()) {
          if (!Modifier.isStatic(field.getModifiers()) && field.getType().equals(Pattern.class)) {
            field.setAccessible(true);
            patterns.put(path + "." + field.getName(), (Pattern) field.get(value));
          }
        }
      }
    }
  }
}
