package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.google.errorprone.annotations.CheckReturnValue;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kotlin.Unit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.OkHttpClient;
import okio.ByteString;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/// A program on the module path uses the client with the module descriptor of docs/client.md.
class ModulePathTest {
  private static final Pattern DESCRIPTOR =
      Pattern.compile("^module .*?^}$", Pattern.DOTALL | Pattern.MULTILINE);

  private static final Pattern INTERNAL =
      Pattern.compile("^import [\\w.]+\\.internal\\.", Pattern.MULTILINE);

  /// Reads a run; gives its title, or the failure.
  private static final String PROGRAM =
      """
      package app;

      import dev.runnel.client.RunsClient;
      import java.net.URI;
      import java.util.function.Function;

      public final class Program implements Function<URI, Object> {
        public Object apply(URI url) {
          try (var client = RunsClient.builder().baseUrl(url).apiKey("k").maxRetries(0).build()) {
            return client.runs().get("r1").send().title();
          } catch (Throwable failure) {
            return failure;
          }
        }
      }
      """;

  @TempDir private static Path folder;
  private static ModuleLayer layer;

  @BeforeAll
  static void compileProgram() throws Exception {
    var libraries = libraries();
    var sources = Files.createDirectories(folder.resolve("sources"));
    Files.writeString(sources.resolve("module-info.java"), descriptor());
    Files.writeString(sources.resolve("Program.java"), PROGRAM);
    var program = folder.resolve("program");
    var path = libraries.stream().map(Path::toString).collect(Collectors.joining(":"));
    var said = new StringWriter();
    var out = new PrintWriter(said);
    var status =
        ToolProvider.findFirst("javac")
            .orElseThrow()
            .run(
                out,
                out,
                "-p",
                path,
                "-d",
                program.toString(),
                sources.resolve("module-info.java").toString(),
                sources.resolve("Program.java").toString());
    assertThat(status).as(said.toString()).isZero();
    var modules =
        ModuleFinder.of(Stream.concat(Stream.of(program), libraries.stream()).toArray(Path[]::new));
    var boot = ModuleLayer.boot();
    var controller =
        ModuleLayer.defineModulesWithOneLoader(
            boot.configuration().resolve(modules, ModuleFinder.of(), Set.of("app")),
            List.of(boot),
            ClassLoader.getPlatformClassLoader());
    layer = controller.layer();
    controller.addExports(
        layer.findModule("app").orElseThrow(),
        "app",
        ModulePathTest.class.getClassLoader().getUnnamedModule());
  }

  @Test
  void refusedConnectionIsAFailureOfTheClient() throws Exception {
    var failure = (Throwable) call(URI.create("http://127.0.0.1:1/api/v1"));

    assertThat(failure.getClass().getName())
        .as(failure.toString())
        .isEqualTo(RunsException.ConnectionFailed.class.getName());
    assertThat(failure.getClass().getModule().getName()).isEqualTo("dev.runnel");
    assertThat(failure).hasMessageContaining("could not be reached");
  }

  @Test
  void runIsRead() throws Exception {
    try (var server = new MockWebServer()) {
      server.enqueue(
          new MockResponse.Builder()
              .body("{\"run_id\":\"r1\",\"state\":\"QUEUED\",\"title\":\"Tidy\"}")
              .build());
      server.start();

      assertThat(call(server.url("/api/v1").uri())).isEqualTo("Tidy");
    }
  }

  @Test
  void clientUsesNoClassThatItsLibrariesKeepToThemselves() throws Exception {
    try (var sources = Files.list(Path.of("src/main/java/dev/runnel/client"))) {
      assertThat(sources.filter(ModulePathTest::importsInternalClass)).isEmpty();
    }
  }

  private static boolean importsInternalClass(Path source) {
    try {
      return INTERNAL.matcher(Files.readString(source)).find();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static Object call(URI url) throws Exception {
    var type = layer.findLoader("app").loadClass("app.Program");
    @SuppressWarnings("unchecked") // it is, in PROGRAM
    var program = (Function<URI, Object>) type.getConstructor().newInstance();
    return program.apply(url);
  }

  private static String descriptor() throws IOException {
    var found = DESCRIPTOR.matcher(Files.readString(Path.of("docs/client.md")));
    assertThat(found.find()).as("a module descriptor in docs/client.md").isTrue();
    return found.group();
  }

  private static List<Path> libraries() throws Exception {
    var jars = new LinkedHashSet<Path>();
    for (var known :
        List.of(
            OkHttpClient.class,
            ByteString.class,
            Unit.class,
            ObjectMapper.class,
            JsonFactory.class,
            JsonProperty.class,
            JavaTimeModule.class,
            Logger.class,
            org.jspecify.annotations.Nullable.class,
            CheckReturnValue.class)) {
      jars.add(place(known));
    }
    return Stream.concat(Stream.of(clientJar()), jars.stream()).toList();
  }

  private static Path place(Class<?> known) throws URISyntaxException {
    return Path.of(known.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /// The client as the released archive names it.
  private static Path clientJar() throws Exception {
    var manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().putValue("Automatic-Module-Name", "dev.runnel");
    var classes = place(RunsClient.class);
    var jar = folder.resolve("client.jar");
    try (var out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
      for (var part : List.of("dev/runnel/client", "dev/runnel/wire")) {
        try (var files = Files.walk(classes.resolve(part))) {
          files
              .filter(Files::isRegularFile)
              .forEach(file -> add(out, classes.relativize(file).toString(), file));
        }
      }
    }
    return jar;
  }

  private static void add(JarOutputStream out, String name, Path file) {
    try {
      out.putNextEntry(new JarEntry(name));
      Files.copy(file, out);
      out.closeEntry();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }
}
