package dev.runnel.story;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.testkit.EmbeddedService;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A project of somebody else that depends on the client. Maven resolves it from an empty local
/// repository. The repository of this build stands in for Central, so nothing is fetched.
@Tag("slow")
@Timeout(300)
class ClientAsADependencyTest {
  private static final String PROJECT =
      """
      <project xmlns="http://maven.apache.org/POM/4.0.0">
        <modelVersion>4.0.0</modelVersion>
        <groupId>com.example</groupId>
        <artifactId>program</artifactId>
        <version>1</version>
        <properties>
          <maven.compiler.release>21</maven.compiler.release>
          <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
        </properties>
        <repositories>
          <repository>
            <id>here</id>
            <url>%s</url>
          </repository>
        </repositories>
        <dependencies>
          <dependency>
            <groupId>dev.runnel</groupId>
            <artifactId>runnel</artifactId>
            <version>%s</version>
          </dependency>
        </dependencies>
      </project>
      """;
  private static final String MIRROR =
      """
      <settings>
        <mirrors>
          <mirror>
            <id>built-with</id>
            <mirrorOf>central</mirrorOf>
            <url>%s</url>
          </mirror>
        </mirrors>
      </settings>
      """;
  private static final String PROGRAM =
      """
      import dev.runnel.client.RunsClient;
      import dev.runnel.wire.CreateRun;
      import java.net.URI;

      class Program {
        public static void main(String[] arguments) {
          System.out.println("class path: " + System.getProperty("java.class.path"));
          try (var client =
              RunsClient.builder().baseUrl(URI.create(arguments[0])).apiKey(arguments[1]).build()) {
            var run = client.runs().create(CreateRun.of("Fix it")).send();
            System.out.println("answer: " + client.runs().await(run.runId()).send().message());
          }
        }
      }
      """;

  @TempDir Path folder;
  private Path project;

  @BeforeEach
  void makeTheProjectAndPublishTheClient() throws IOException {
    project = Files.createDirectories(folder.resolve("project"));
    var published = folder.resolve("published");
    var version = version("runnel");
    Files.writeString(project.resolve("pom.xml"), PROJECT.formatted(published.toUri(), version));
    Files.writeString(
        project.resolve("settings.xml"), MIRROR.formatted(repositoryOfThisBuild().toUri()));
    var sources = Files.createDirectories(project.resolve("src/main/java"));
    Files.writeString(sources.resolve("Program.java"), PROGRAM);

    var files = Files.createDirectories(published.resolve("dev/runnel/runnel").resolve(version));
    Files.copy(Path.of("pom.xml"), files.resolve("runnel-%s.pom".formatted(version)));
    var jar = files.resolve("runnel-%s.jar".formatted(version)).toString();
    var status =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, "--create", "--file", jar, "-C", "target/classes", ".");
    assertThat(status).isZero();
  }

  @Test
  void clientRunsWithOneOkHttpAndAtMostTwelveJars() throws Exception {
    String output;
    try (var service = new EmbeddedService(folder, "cat")) {
      output = maven(service.uri() + "/api/v1 " + EmbeddedService.KEY);
    }

    assertThat(output).contains("answer: Fix it");
    assertThat(jars(output)).hasSizeLessThanOrEqualTo(12).doesNotHaveDuplicates();
    assertThat(jars(output)).filteredOn(jar -> jar.startsWith("okhttp")).hasSize(1);
  }

  /// The names of the jars that the program ran with, besides the client's own.
  private static List<String> jars(String output) {
    var classPath = output.lines().filter(line -> line.startsWith("class path: ")).findFirst();
    return Arrays.stream(classPath.orElseThrow().split(File.pathSeparator))
        .filter(file -> file.endsWith(".jar"))
        .map(file -> Path.of(file).getFileName().toString())
        .filter(name -> !name.startsWith("runnel-"))
        .toList();
  }

  /// Compiles the program and runs it.
  private String maven(String arguments) throws Exception {
    var java = Path.of(System.getProperty("java.home"));
    var command =
        List.of(
            program(),
            "--batch-mode",
            "--quiet",
            "--settings",
            "settings.xml",
            "-Dmaven.repo.local=" + folder.resolve("empty"),
            "org.apache.maven.plugins:maven-compiler-plugin:"
                + version("maven-compiler-plugin")
                + ":compile",
            "org.codehaus.mojo:exec-maven-plugin:" + version("exec-maven-plugin") + ":exec",
            "-Dexec.executable=" + java.resolve("bin/java"),
            "-Dexec.args=-cp %classpath Program " + arguments);
    var builder = new ProcessBuilder(command).directory(project.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", java.toString());
    var process = builder.start();
    process.getOutputStream().close();
    var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  /// The Maven that runs this build, else the one of the PATH.
  private static String program() {
    var home = System.getProperty("maven.home", "");
    return home.isEmpty() ? "mvn" : Path.of(home, "bin", "mvn").toString();
  }

  private static Path repositoryOfThisBuild() {
    var usual = Path.of(System.getProperty("user.home"), ".m2", "repository");
    return Path.of(System.getProperty("localRepository", usual.toString()));
  }

  /// The version of this project, or of a plugin: no other is in the repository of this build.
  private static String version(String artifact) throws IOException {
    var pom = Files.readString(Path.of("pom.xml"));
    var match =
        Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>([^<]+)</version>")
            .matcher(pom);
    assertThat(match.find()).isTrue();
    return match.group(1);
  }
}
