package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// The script `runnel`, with a Maven and a JDK that only note what they are asked for.
@Tag("slow")
@Timeout(60)
class LauncherTest {
  private static final String MAVEN =
      """
      #!/bin/sh
      echo "mvn $*" >>calls
      printf '\\033[0mMaven was here\\n'
      [ ! -e build-fails ] || exit 1
      mkdir -p target && echo half >target/runnel-all.jar
      if [ -e build-waits ]; then read -r _ <build-waits; fi
      echo first >target/runnel-all.jar
      """;
  private static final String JAVA =
      """
      #!/bin/sh
      echo "java $*" >>"$ROOT/calls"
      for word in "$@"; do
        case "$word" in
          */PortProbe.java) [ ! -e "$ROOT/port-is-taken" ] || exit 1 ;;
          -XX:AOTCacheOutput=*) cp runnel.yaml "$ROOT/settings-of-training"; echo classes >"${word#*=}" ;;
        esac
      done
      """;

  @TempDir Path root;
  private String output = "";
  private String heapSize = "";

  @BeforeEach
  void makeACloneWithAMavenAndAJdk() throws IOException {
    Files.createDirectories(root.resolve("src/main"));
    Files.createFile(root.resolve("pom.xml"));
    Files.copy(Path.of("runnel"), root.resolve("runnel"));
    program("bin/mvn", MAVEN);
    program("jdk/bin/java", "#!/bin/sh\nROOT=%s\n".formatted(root) + JAVA);
    Files.writeString(root.resolve("jdk/release"), "JAVA_VERSION=\"25.0.1\"\n");
  }

  @Test
  void theFirstStartBuildsWithoutTestsChecksAndColoursAndRuns() throws Exception {
    assertThat(run("serve", "--port", "0")).isZero();

    assertThat(calls("mvn")).containsExactly("mvn -B -q -Dstyle.color=never -Dquick package");
    assertThat(calls("java")).last().asString().endsWith("runnel-all.jar serve --port 0");
    assertThat(output).contains("Maven was here").doesNotContain("\033");
  }

  @Test
  void theNextStartBuildsNothing() throws Exception {
    run();
    run();

    assertThat(calls("mvn")).hasSize(1);
    assertThat(trainings()).hasSize(1);
  }

  @Test
  void aStartDuringTheBuildOfAnotherOneWaitsForItsJar() throws Exception {
    var builds = root.resolve("build-waits");
    assertThat(new ProcessBuilder("mkfifo", builds.toString()).start().waitFor()).isZero();
    var first = launcher("serve").start();
    // Opening it waits until the build reads from it.
    try (var build = Files.newBufferedWriter(builds)) {
      var second = launcher("console").start();
      try (var lines = second.inputReader()) {
        assertThat(lines.readLine()).isEqualTo("Waiting for another start that builds Runnel.");
        build.write("go on\n");
        build.flush();
        lines.transferTo(Writer.nullWriter());
      }
      assertThat(second.waitFor(30, TimeUnit.SECONDS)).isTrue();
      assertThat(second.exitValue()).isZero();
    }
    assertThat(first.waitFor(30, TimeUnit.SECONDS)).isTrue();

    assertThat(calls("mvn")).hasSize(1);
    assertThat(trainings()).hasSize(1);
  }

  @Test
  void occupiedPortStopsTheStartBeforeTheBuild() throws Exception {
    Files.createFile(root.resolve("port-is-taken"));

    assertThat(run("--port", "8080")).isOne();
    assertThat(calls("java")).singleElement().asString().endsWith("PortProbe.java --port 8080");
    assertThat(calls("mvn")).isEmpty();
  }

  @Test
  void sourceFileOfThePortProbeExists() throws Exception {
    run();

    var call = calls("java").getFirst();
    assertThat(Path.of(call.substring(call.indexOf("src/main")))).exists();
  }

  @Test
  void aFailedBuildStopsTheStart() throws Exception {
    Files.createFile(root.resolve("build-fails"));

    assertThat(run()).isOne();
    assertThat(calls("java")).noneMatch(call -> call.contains("-jar"));
  }

  @Test
  void replacedJarIsNotRunWithTheOldClassCache() throws Exception {
    run();
    var before = cache();

    Files.writeString(root.resolve("target/runnel-all.jar"), "other\n");
    run();

    assertThat(trainings()).hasSize(2);
    assertThat(cache()).isNotEqualTo(before);
    assertThat(calls("java")).last().asString().contains("-XX:AOTCache=" + cache());
    assertThat(before).doesNotExist();
  }

  @Test
  void classCacheIsBuiltEvenIfAgentsCannotBeIsolated() throws Exception {
    run();

    assertThat(root.resolve("settings-of-training")).content().contains("isolation: none");
  }

  @Test
  void heapIs256MiBAndBuffersOutsideHaveAQuarterOfIt() throws Exception {
    assertThat(run()).isZero();

    assertThat(calls("java")).last().asString().contains("-Xmx256m -XX:MaxDirectMemorySize=64m ");
  }

  @ParameterizedTest
  @CsvSource({"512m, 512m, 128m", "2g, 2048m, 512m", "1G, 1024m, 256m", "192M, 192m, 48m"})
  void heapFollowsTheVariable(String size, String heap, String direct) throws Exception {
    heapSize = size;

    assertThat(run("serve")).isZero();
    assertThat(calls("java"))
        .last()
        .asString()
        .contains("-Xmx%s -XX:MaxDirectMemorySize=%s ".formatted(heap, direct));
    assertThat(trainings()).singleElement().asString().contains("-Xmx" + heap);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "512",
        "m",
        "191m",
        "0512m",
        "1t",
        "-1g",
        "1.5g",
        "512 m",
        "512mm",
        "99999999g",
        "*"
      })
  void wrongOrTooSmallHeapStopsTheStartWithTheWayOut(String size) throws Exception {
    heapSize = size;

    assertThat(run("serve")).isOne();
    assertThat(output)
        .isEqualTo(
            "RUNNEL_HEAP is '%s'. It must be a size of at least 192m, such as 512m or 2g.\n"
                .formatted(size));
    assertThat(calls("java")).isEmpty();
    assertThat(calls("mvn")).isEmpty();
  }

  /// The one that is there.
  private Path cache() throws IOException {
    try (var files = Files.list(root.resolve("target"))) {
      var caches = files.filter(file -> file.toString().endsWith(".aot")).toList();
      assertThat(caches).hasSize(1);
      return caches.getFirst();
    }
  }

  private List<String> trainings() throws IOException {
    return calls("java").stream().filter(call -> call.contains("-XX:AOTCacheOutput")).toList();
  }

  private List<String> calls(String program) throws IOException {
    var calls = root.resolve("calls");
    return Files.exists(calls)
        ? Files.readAllLines(calls).stream().filter(call -> call.startsWith(program + " ")).toList()
        : List.of();
  }

  private int run(String... words) throws Exception {
    var process = launcher(words).start();
    output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  private ProcessBuilder launcher(String... words) {
    var command = Stream.concat(Stream.of("sh", "runnel"), Stream.of(words)).toList();
    var builder = new ProcessBuilder(command).directory(root.toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "PATH", root.resolve("bin") + ":/usr/bin:/bin",
                "HOME", root.toString(),
                "JAVA_HOME", root.resolve("jdk").toString()));
    if (!heapSize.isEmpty()) {
      builder.environment().put("RUNNEL_HEAP", heapSize);
    }
    return builder;
  }

  private void program(String name, String text) throws IOException {
    var file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }
}
