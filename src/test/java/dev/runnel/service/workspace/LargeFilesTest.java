package dev.runnel.service.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import dev.runnel.testkit.GitServer;
import dev.runnel.testkit.Programs;
import dev.runnel.text.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Git LFS with the token of a private repository. Where `git-lfs` is not installed, only the
/// refusal is tested.
class LargeFilesTest {
  private static final String TOKEN = "token-of-the-shop";
  private static final String CONTENT = "a large file\n";
  private static final String POINTER =
      "version https://git-lfs.github.com/spec/v1\noid sha256:%s\nsize %d\n"
          .formatted(Sha256.hex(CONTENT), CONTENT.length());

  @TempDir Path folder;
  private GitServer server;
  private Programs programs;
  private final List<String> requests = new ArrayList<>();

  @BeforeEach
  void start() throws Exception {
    programs = new Programs(Files.createDirectories(folder.resolve("home")));
    var source = Files.createDirectories(folder.resolve("source"));
    programs.git(source, "init", "--quiet", "--initial-branch=main");
    Files.writeString(source.resolve(".gitattributes"), "*.bin filter=lfs diff=lfs -text\n");
    Files.writeString(source.resolve(".lfsconfig"), "[lfs]\n  url = http://127.0.0.1:1/other\n");
    Files.writeString(source.resolve("big.bin"), POINTER);
    programs.git(source, "add", ".");
    programs.git(
        source, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "-m", "one");
    programs.git(folder, "clone", "--quiet", "--bare", "source", "shop.git");
    server = GitServer.start(folder, TOKEN);
    server.server().createContext("/shop.git/info/lfs/objects/batch", this::batch);
    server.server().createContext("/content", exchange -> send(exchange, CONTENT));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void filesArePointersUnlessTheyAreFetched() throws Exception {
    assertThat(Files.readString(cloned().resolve("big.bin"))).isEqualTo(POINTER);
    assertThat(requests).isEmpty();
  }

  @Test
  void filesAreFetchedWithTheTokenFromTheServerOfTheRepository() throws Exception {
    var clone = cloned();
    var largeFiles = new LargeFiles(new Git(programs, Map.of("SHOP", TOKEN)));

    if (!programs.isInstalled("git-lfs")) {
      assertThatThrownBy(() -> largeFiles.fetch(repository(), clone))
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("git-lfs is not installed");
      return;
    }
    largeFiles.fetch(repository(), clone);

    assertThat(Files.readString(clone.resolve("big.bin"))).isEqualTo(CONTENT);
    assertThat(requests).isNotEmpty();
    assertThat(programs.git(clone, "status", "--porcelain")).isEmpty();
    Files.writeString(clone.resolve("new.bin"), "new");
    programs.git(clone, "add", "new.bin");
    assertThat(programs.git(clone, "show", ":new.bin")).startsWith("version https://git-lfs");
  }

  private Path cloned() throws Exception {
    var target = folder.resolve("clone");
    new CloneCache(folder.resolve("repositories"), Map.of("SHOP", TOKEN))
        .checkOut(repository(), target, programs);
    return target;
  }

  private Repository repository() {
    return Repository.of(
        server.url("shop.git"), Optional.empty(), Optional.empty(), Optional.of("SHOP"));
  }

  private void batch(HttpExchange exchange) throws IOException {
    if (exchange.getRequestHeaders().getFirst("Authorization") == null) {
      exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"git\"");
      exchange.sendResponseHeaders(401, -1);
      exchange.close();
      return;
    }
    requests.add(exchange.getRequestURI().getPath());
    exchange.getResponseHeaders().add("Content-Type", "application/vnd.git-lfs+json");
    send(
        exchange,
        """
        {"transfer":"basic","objects":[{"oid":"%s","size":%d,"authenticated":true,
        "actions":{"download":{"href":"%s"}}}]}
        """
            .formatted(Sha256.hex(CONTENT), CONTENT.length(), server.url("content")));
  }

  private static void send(HttpExchange exchange, String text) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      var bytes = text.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
