package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.wire.RunItem;
import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.TypeVariable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// What others may build on: the public types of the client and the wire, and what they offer. A
/// change of it is seen in the review of `public-api.txt`, and never happens by accident.
class PublicApiTest {
  private static final Path RECORD = Path.of("src/test/resources/public-api.txt");
  private static final Pattern PACKAGES =
      Pattern.compile(
          "\\b(java\\.lang|java\\.util(\\.function|\\.stream|\\.concurrent)?|java\\.time"
              + "|dev\\.runnel\\.(client|wire)|com\\.fasterxml\\.jackson\\.databind"
              + "|org\\.jspecify\\.annotations)\\.(?=[@A-Z])");

  @Test
  void publicApiMatchesTheRecord() throws Exception {
    var now = surface();
    if ("record".equals(System.getProperty("public-api"))) {
      Files.write(RECORD, now);
    }
    var recorded = Files.readAllLines(RECORD);

    assertThat(difference(recorded, now))
        .as(
            "The public interface of the client is another than the one recorded in %s.%n"
                + "If that is meant: mvn test -Dtest=PublicApiTest -Dpublic-api=record",
            RECORD)
        .isEmpty();
    assertThat(recorded).as("%s, line by line", RECORD).isEqualTo(now);
  }

  private static List<String> difference(List<String> recorded, List<String> now) {
    var lines = new ArrayList<String>();
    recorded.stream().filter(line -> !now.contains(line)).map("- "::concat).forEach(lines::add);
    now.stream().filter(line -> !recorded.contains(line)).map("+ "::concat).forEach(lines::add);
    return lines;
  }

  private static List<String> surface() throws Exception {
    var lines = new TreeSet<String>();
    for (var known : List.of(RunsClient.class, RunItem.class)) {
      for (var type : typesBeside(known)) {
        if (isPublic(type)) {
          describe(type, lines);
        }
      }
    }
    return List.copyOf(new LinkedHashSet<>(lines));
  }

  private static List<Class<?>> typesBeside(Class<?> known) throws Exception {
    var classes = Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
    var types = new ArrayList<Class<?>>();
    for (var file : filesIn(classes.resolve(known.getPackageName().replace('.', '/')))) {
      var name = file.getFileName().toString().replaceFirst("\\.class$", "");
      if (!name.equals("package-info")) {
        types.add(Class.forName(known.getPackageName() + "." + name));
      }
    }
    return types;
  }

  private static List<Path> filesIn(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".class")).sorted().toList();
    }
  }

  private static boolean isPublic(Class<?> type) {
    return Modifier.isPublic(type.getModifiers())
        && (type.getEnclosingClass() == null || isPublic(type.getEnclosingClass()))
        && !type.isAnonymousClass()
        && !type.isLocalClass();
  }

  private static void describe(Class<?> type, Set<String> lines) {
    lines.add(header(type));
    for (var constructor : type.getDeclaredConstructors()) {
      if (isOffered(constructor) && !isOfRecord(type, constructor.getParameterTypes())) {
        lines.add(name(type) + " new(" + parameters(constructor) + ")");
      }
    }
    for (var method : type.getDeclaredMethods()) {
      if (isOffered(method) && !isGiven(type, method)) {
        lines.add(
            "%s %s%s%s(%s): %s"
                .formatted(
                    name(type),
                    modifiers(method.getModifiers()),
                    typeParameters(method.getTypeParameters()),
                    method.getName(),
                    parameters(method),
                    text(method.getAnnotatedReturnType())));
      }
    }
    for (var field : type.getDeclaredFields()) {
      if (Modifier.isPublic(field.getModifiers())) {
        lines.add(name(type) + " constant " + field.getName() + constant(field));
      }
    }
  }

  private static String header(Class<?> type) {
    var line = new StringBuilder(name(type)).append(" is ").append(kind(type));
    line.append(typeParameters(type.getTypeParameters()));
    if (type.isRecord()) {
      line.append(
          Arrays.stream(type.getRecordComponents())
              .map(component -> text(component.getAnnotatedType()) + " " + component.getName())
              .collect(Collectors.joining(", ", "(", ")")));
    }
    var parents =
        Stream.concat(
                Stream.ofNullable(type.getAnnotatedSuperclass()),
                Arrays.stream(type.getAnnotatedInterfaces()))
            .map(PublicApiTest::text)
            .filter(parent -> !parent.equals("Object") && !parent.equals("Record"))
            .filter(parent -> !parent.startsWith("Enum<"))
            .collect(Collectors.joining(", "));
    if (!parents.isEmpty()) {
      line.append(" of ").append(parents);
    }
    if (type.isSealed()) {
      line.append(
          Arrays.stream(type.getPermittedSubclasses())
              .map(PublicApiTest::name)
              .sorted()
              .collect(Collectors.joining(", ", " permits ", "")));
    }
    return line.toString().stripTrailing();
  }

  private static String kind(Class<?> type) {
    var kind =
        type.isRecord()
            ? "record"
            : type.isEnum() ? "enum" : type.isInterface() ? "interface" : "class";
    var isImplied = type.isRecord() || type.isEnum() || type.isInterface();
    return (type.isSealed() ? "sealed " : "")
        + (isImplied ? "" : modifiers(type.getModifiers() & ~Modifier.STATIC))
        + kind;
  }

  private static String modifiers(int modifiers) {
    var told = modifiers & (Modifier.STATIC | Modifier.ABSTRACT | Modifier.FINAL);
    return told == 0 ? "" : Modifier.toString(told) + " ";
  }

  private static String typeParameters(TypeVariable<?>[] variables) {
    return variables.length == 0
        ? ""
        : Arrays.stream(variables)
            .map(
                variable ->
                    variable.getName()
                        + Arrays.stream(variable.getAnnotatedBounds())
                            .map(PublicApiTest::text)
                            .filter(bound -> !bound.equals("Object"))
                            .map(" extends "::concat)
                            .collect(Collectors.joining()))
            .collect(Collectors.joining(", ", "<", "> "));
  }

  private static String parameters(Executable executable) {
    return Arrays.stream(executable.getParameters())
        .map(Parameter::getAnnotatedType)
        .map(PublicApiTest::text)
        .collect(Collectors.joining(", "));
  }

  private static String constant(Field field) {
    try {
      var value = field.getType().isPrimitive() ? field.get(null) : "";
      return ": " + text(field.getAnnotatedType()) + (value.equals("") ? "" : " = " + value);
    } catch (IllegalAccessException hidden) {
      throw new AssertionError(hidden);
    }
  }

  private static <M extends Executable & AnnotatedElement> boolean isOffered(M member) {
    return Modifier.isPublic(member.getModifiers()) && !member.isSynthetic();
  }

  /// What every type of its kind has.
  private static boolean isGiven(Class<?> type, Method method) {
    return isOfObject(method)
        || (type.isEnum() && Set.of("values", "valueOf").contains(method.getName()))
        || (type.isRecord()
            && method.getParameterCount() == 0
            && Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getName)
                .anyMatch(method.getName()::equals));
  }

  private static boolean isOfObject(Method method) {
    return Arrays.stream(Object.class.getMethods())
        .anyMatch(
            known ->
                known.getName().equals(method.getName())
                    && Arrays.equals(known.getParameterTypes(), method.getParameterTypes()));
  }

  private static boolean isOfRecord(Class<?> type, Class<?>[] parameters) {
    return type.isRecord()
        && Arrays.equals(
            parameters,
            Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new));
  }

  private static String name(Class<?> type) {
    return type.getName().substring("dev.runnel.".length()).replace('$', '.');
  }

  private static String text(AnnotatedType type) {
    return PACKAGES
        .matcher(type.toString().replace('$', '.').replace("()", ""))
        .replaceAll("")
        // The annotation of a qualified name stands before its last part.
        .replaceAll("\\b[a-z.]+\\.(?=@)", "");
  }
}
