package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.client.guide.BuildExamples;
import dev.runnel.client.guide.CallExamples;
import dev.runnel.client.guide.OtherExamples;
import dev.runnel.client.guide.RunExamples;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The blocks of docs/client.md are the examples that [ClientGuideTest] runs, no more and no less.
class ClientGuideTextTest {
  private static final Path TESTS = Path.of("src/test/java/dev/runnel/client");
  private static final Pattern REGION =
      Pattern.compile("^ *// guide: (\\w+)\\n(.*?)^ *// end$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern BLOCK =
      Pattern.compile("^```java\\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern IMPORT =
      Pattern.compile("^import (static )?([\\w.]+);$", Pattern.MULTILINE);
  private static final List<Class<?>> EXAMPLES =
      List.of(RunExamples.class, CallExamples.class, BuildExamples.class, OtherExamples.class);

  @Test
  void everyBlockIsAnExampleAndEveryExampleABlock() throws Exception {
    var regions = regions();
    var blocks = blocks();

    assertThat(regions)
        .allSatisfy((name, example) -> assertThat(blocks).as(name).contains(example));
    assertThat(blocks)
        .doesNotHaveDuplicates()
        .allSatisfy(block -> assertThat(regions.values()).contains(block));
  }

  @Test
  void everyExampleIsRun() throws Exception {
    var test = Files.readString(TESTS.resolve("ClientGuideTest.java"));

    assertThat(test).contains("FirstRun.class");
    assertThat(examples().map(Method::getName))
        .allSatisfy(name -> assertThat(test).contains("Examples." + name + "("));
  }

  @Test
  void everyExampleIsSelfContained() throws Exception {
    var names = new TreeSet<>(regions().keySet());
    names.remove("firstRun");

    assertThat(examples().map(Method::getName)).containsExactlyInAnyOrderElementsOf(names);
    assertThat(imports())
        .allSatisfy(
            name ->
                assertThat(name)
                    .matches(
                        "(dev\\.runnel\\.(client|wire)\\.\\w+|java\\..*|javax\\.net\\.ssl\\..*"
                            + "|com\\.fasterxml\\.jackson\\.databind\\..*|okhttp3\\..*"
                            + "|mockwebserver3\\..*|org\\.assertj\\..*)"));
  }

  @Test
  void parametersOfExamplesAreExplainedInTheText() throws Exception {
    var words = BLOCK.matcher(document()).replaceAll("");

    assertThat(examples().map(Method::getParameters).flatMap(Arrays::stream))
        .extracting(Parameter::getName)
        .allSatisfy(name -> assertThat(words).contains("`" + name + "`"));
  }

  private static String document() throws Exception {
    return Files.readString(Path.of("docs/client.md"));
  }

  private static List<String> blocks() throws Exception {
    return BLOCK
        .matcher(document())
        .results()
        .map(block -> block.group(1).stripTrailing())
        .toList();
  }

  private static Map<String, String> regions() throws Exception {
    var regions = new TreeMap<String, String>();
    for (var source : sources()) {
      for (var region : REGION.matcher(source).results().toList()) {
        assertThat(regions.put(region.group(1), region.group(2).stripTrailing().stripIndent()))
            .as("another example of the name %s", region.group(1))
            .isNull();
      }
    }
    return regions;
  }

  private static Set<String> imports() throws Exception {
    return sources().stream()
        .flatMap(source -> IMPORT.matcher(source).results())
        .map(line -> line.group(2))
        .collect(Collectors.toSet());
  }

  private static List<String> sources() throws Exception {
    try (var files = Files.list(TESTS.resolve("guide"))) {
      var sources = new TreeSet<Path>(files.toList());
      sources.remove(TESTS.resolve("guide/package-info.java"));
      return sources.stream().map(ClientGuideTextTest::read).toList();
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static Stream<Method> examples() {
    return EXAMPLES.stream()
        .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
        .filter(method -> !method.isSynthetic());
  }
}
