package dev.runnel.store;

import static dev.runnel.testkit.Samples.NINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.core.port.Sessions;
import dev.runnel.database.Database;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.SessionsContract;
import dev.runnel.testkit.SettableClock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqlSessionsTest implements SessionsContract {
  @TempDir private Path folder;
  private final SettableClock clock = new SettableClock();
  private Database database;
  private Sessions sessions;

  @BeforeEach
  void open() {
    database = MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
    sessions = new SqlSessions(database, clock);
  }

  @AfterEach
  void close() {
    database.close();
  }

  /// Anybody can send them, and a write waits for other writes.
  @Test
  void unknownSecretsAreRefusedWithoutAWrite() {
    database.<Boolean>write(
        _ -> {
          assertThat(CompletableFuture.supplyAsync(() -> sessions.take("unknown", NINE)))
              .succeedsWithin(Duration.ofSeconds(5))
              .isEqualTo(Optional.empty());
          assertThat(CompletableFuture.supplyAsync(() -> sessions.redeem("unknown", NINE)))
              .succeedsWithin(Duration.ofSeconds(5))
              .isEqualTo(false);
          return true;
        });
  }

  @Override
  public Sessions sessions() {
    return sessions;
  }

  @Test
  void onlyOneOfTwoSimultaneousUsesOfALinkSignsIn() {
    sessions.offer("link", TEN);

    assertThat(bothAtOnce(() -> sessions.redeem("link", NINE)))
        .containsExactlyInAnyOrder(true, false);
  }

  @Test
  void onlyOneOfTwoSimultaneousProviderReturnsSignsIn() {
    sessions.expect("state", new Sessions.Attempt("slack", "b", "n", "v", "/runs"), TEN);

    assertThat(bothAtOnce(() -> sessions.take("state", NINE).isPresent()))
        .containsExactlyInAnyOrder(true, false);
  }

  /// Both find the secret, and wait for a write of others before they use it up.
  private List<Boolean> bothAtOnce(BooleanSupplier use) {
    var results = new ConcurrentLinkedQueue<Boolean>();
    var threads =
        Stream.generate(() -> Thread.ofPlatform().unstarted(() -> results.add(use.getAsBoolean())))
            .limit(2)
            .toList();
    database.<Boolean>write(
        _ -> {
          threads.forEach(Thread::start);
          await().until(() -> threads.stream().allMatch(SqlSessionsTest::waits));
          return true;
        });
    await().until(() -> results.size() == threads.size());
    return List.copyOf(results);
  }

  private static boolean waits(Thread thread) {
    return Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState());
  }

  @Test
  void noSecretIsOnTheDisk() throws Exception {
    sessions.begin("secret-of-a-session", TEN);
    sessions.offer("secret-of-a-link", TEN);
    database.close();

    try (var files = Files.list(folder)) {
      for (var file : files.toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain("secret-of");
      }
    }
  }

  @Test
  void newSessionDeletesExpiredOnes() {
    sessions.begin("old", NINE);
    sessions.begin("new", TEN);

    var rows =
        database.read(
            each -> each.list("SELECT hash FROM console_sessions", row -> row.getString(1)));
    assertThat(rows).hasSize(1);
  }
}
