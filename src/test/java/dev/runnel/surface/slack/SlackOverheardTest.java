package dev.runnel.surface.slack;

import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.TraceRecorder;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.database.Database;
import dev.runnel.store.SqlStore;
import dev.runnel.testkit.Samples;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What people say to each other in threads that Slack tells us of.
class SlackOverheardTest {
  private static final InstantSource CLOCK = () -> SlackRequests.NOW;

  @TempDir Path folder;
  private SlackSurface surface;
  private Database database;
  private SqlStore store;
  private Database othersDatabase;
  private SqlStore other;
  private WebhookEndpoint door;

  @BeforeEach
  void open() {
    surface = SlackSurfaces.of(SlackRequests.CONFIG, CLOCK);
    database = Database.sqlite(folder.resolve("runnel.db"));
    store = new SqlStore(database, CLOCK);
    othersDatabase = Database.sqlite(folder.resolve("runnel.db"));
    other = new SqlStore(othersDatabase, CLOCK);
    door =
        new WebhookEndpoint(
            store, Surfaces.of(List.of(surface)), CLOCK, new RequestMetrics(), TraceRecorder.NONE);
  }

  @AfterEach
  void close() {
    other.close();
    othersDatabase.close();
    store.close();
    database.close();
    surface.close();
  }

  @Test
  void unaddressedMessageWithoutARunIsNotKept() {
    takes("message-in-thread");

    assertThat(kept(conversation("message-in-thread"))).isEmpty();
  }

  @Test
  void threadBoundByAnotherNodeIsStoredFromThenOn() {
    takes("message-in-thread");
    binds(conversation("message-in-thread"));

    takes("message-in-thread");

    assertThat(kept(conversation("message-in-thread"))).hasSize(1);
  }

  @Test
  void unaddressedMessageIsKeptWhileAStartWaitsInItsThread() {
    other.accept(delivery(conversation("message-in-thread"), false));

    takes("message-in-thread");

    assertThat(kept(conversation("message-in-thread"))).hasSize(2);
  }

  @Test
  void unaddressedMessageIsKeptWhileItsThreadIsBeingOpened() {
    var thread = conversation("message-in-thread");
    other.accept(delivery(new Conversation(thread.surface(), thread.place() + "~trigger"), true));

    takes("message-in-thread");

    assertThat(kept(thread)).hasSize(1);
  }

  @Test
  void mentionIsAlwaysKept() {
    takes("app-mention");

    assertThat(kept(conversation("app-mention"))).hasSize(1);
  }

  private void takes(String fixture) {
    assertThat(door.take(surface.id(), surface.receive(SlackRequests.golden(fixture))).status())
        .isEqualTo(200);
  }

  private Conversation conversation(String fixture) {
    return ((WebhookResult.Accepted) surface.receive(SlackRequests.golden(fixture)))
        .delivery()
        .conversation();
  }

  private List<DeliveryTrace> kept(Conversation conversation) {
    return store.commit(work -> work.inbox().traces(conversation, Optional.empty(), 10));
  }

  private void binds(Conversation conversation) {
    other.change(
        work ->
            work.bindings()
                .save(
                    Samples.binding(
                        conversation,
                        Samples.run("1", RunState.RUNNING),
                        Samples.DANA,
                        Request.of("fix it"),
                        Origin.NONE,
                        Optional.empty(),
                        SlackRequests.NOW,
                        false,
                        0)));
  }

  private static Delivery delivery(Conversation conversation, boolean opensThread) {
    return new Delivery(
        new DeliveryId("slack:waits"),
        "said:waits",
        conversation,
        Samples.DANA,
        start("fix it"),
        true,
        new Origin(Optional.empty(), Optional.empty(), Optional.empty(), opensThread),
        SlackRequests.NOW);
  }
}
