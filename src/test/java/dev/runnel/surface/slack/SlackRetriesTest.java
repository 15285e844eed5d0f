package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Slack sends again what was not acknowledged: at once, after a minute, after five; and people's
/// networks hold requests back for longer. Over the real door into a real store.
class SlackRetriesTest {
  private static final List<Duration> AGAIN_AFTER =
      List.of(
          Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofMinutes(6), Duration.ofHours(1));

  @TempDir Path folder;
  private final List<Boolean> isNew = new ArrayList<>();
  private SlackWaysIn slack;
  private Database database;
  private SqlStore store;

  @BeforeEach
  void open() throws Exception {
    slack = new SlackWaysIn();
    start();
  }

  private void start() {
    database = Database.sqlite(folder.resolve("runnel.db"));
    store = new SqlStore(database, slack.clock);
    slack.keeps(
        delivery -> {
          isNew.add(store.accept(delivery));
          return isNew.getLast();
        });
  }

  private void stop() {
    store.close();
    database.close();
  }

  @AfterEach
  void close() {
    stop();
    slack.close();
  }

  /// @param twin the same said under another id, as Slack does it
  @ParameterizedTest
  @CsvSource({
    "app-mention, message-mention",
    "message-in-thread, message-in-thread",
    "direct-message, direct-message",
    "slash-start, slash-start",
    "block-actions-cancel, block-actions-cancel",
    "message-changed, message-changed"
  })
  void repeatedEventIsRecognized(String fixture, String twin) throws Exception {
    sends(fixture);
    for (var pause : AGAIN_AFTER) {
      slack.clock.advance(pause);
      sends(fixture);
      sends(twin);
    }

    assertThat(isNew).hasSize(1 + 2 * AGAIN_AFTER.size()).startsWith(true);
    assertThat(isNew.subList(1, isNew.size())).containsOnly(false);
  }

  @Test
  void repeatedEventIsRecognizedAfterARestart() throws Exception {
    sends("app-mention");
    stop();
    slack.clock.advance(Duration.ofHours(1));
    start();
    sends("app-mention");

    assertThat(isNew).containsExactly(true, false);
  }

  private void sends(String fixture) throws Exception {
    assertThat(slack.overHttp(SlackRequests.body(SlackRequests.golden(fixture)))).isEqualTo(200);
  }
}
