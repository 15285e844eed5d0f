package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryTrace;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.testkit.Dispatchers;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.Samples;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// A socket is no side path: whatever comes over it is decided as if it had come over HTTP, with
/// the same run, the same words and the same traces.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SlackBothWaysTest {
  /// Only an address is asked for these.
  private static final Set<String> OF_ADDRESSES = Set.of("url-verification", "ssl-check");

  private static final String ROOT = "1795240915.000008";
  private static final String STATUS = "1795240915.000013";
  private static final String OPENED = "1795240916.000200";
  private static final String RUN_OF_THE_BUTTON = "0190e6a1-9f50-7c3e-8a43-000000000001";

  private SlackWaysIn slack;

  @BeforeAll
  void open() throws Exception {
    slack = new SlackWaysIn();
  }

  @AfterAll
  void close() {
    slack.close();
  }

  static Stream<String> fixtures() {
    return SlackRequests.names().stream().filter(it -> !OF_ADDRESSES.contains(it));
  }

  /// What came of a body in a thread with a run: what was read, what was decided about it, and what
  /// the run service was asked for.
  private record Decided(
      List<Delivery> accepted,
      List<DeliveryTrace> traces,
      List<FakeAgentRuns.Started> starts,
      List<FakeAgentRuns.Said> said,
      List<RunId> cancels) {}

  @ParameterizedTest
  @MethodSource("fixtures")
  void everyFixtureHasTheSameEffectOverHttpAndSocket(String fixture) throws Exception {
    assertThat(decidedAlike(SlackRequests.body(SlackRequests.golden(fixture)))).isNotNull();
  }

  @Test
  void aStopByAReactionOrAButtonStopsOnBothWays() throws Exception {
    var reaction = SlackRequests.body(SlackRequests.golden("reaction-added"));
    assertThat(decidedAlike(reaction.replace("\"eyes\"", "\"octagonal_sign\"")).cancels())
        .hasSize(1);

    var button = SlackRequests.body(SlackRequests.golden("block-actions-cancel"));
    assertThat(decidedAlike(button).cancels()).hasSize(1);
  }

  @Test
  void messagesAndCommandsWorkOverHttpAndSocketAlike() throws Exception {
    assertThat(decidedAlike(body("message-in-thread")).said()).hasSize(1);
    // The run that is there already is the first.
    assertThat(decidedAlike(body("slash-start")).starts()).hasSize(2);
    assertThat(decidedAlike(body("app-mention")).accepted()).hasSize(1);
    assertThat(decidedAlike(body("own-message")).accepted()).isEmpty();
  }

  private static String body(String fixture) {
    return SlackRequests.body(SlackRequests.golden(fixture));
  }

  private Decided decidedAlike(String body) throws Exception {
    var overHttp = new Talk();
    slack.keeps(overHttp::takes);
    assertThat(slack.overHttp(overHttp.own(body))).isEqualTo(200);

    var overTheSocket = new Talk();
    slack.keeps(overTheSocket::takes);
    slack.overTheSocket(
        SlackRequests.signed(overTheSocket.own(body).getBytes(StandardCharsets.UTF_8)));

    var decided = overHttp.decides();
    assertThat(overTheSocket.decides()).isEqualTo(decided);
    return decided;
  }

  /// The thread of the fixtures, with a run of Ann's.
  private final class Talk {
    private final MemoryStore store = new MemoryStore();
    private final FakeAgentRuns runs = new FakeAgentRuns(slack.clock);
    private final List<Delivery> accepted = new CopyOnWriteArrayList<>();
    private final Run run;

    Talk() {
      var prompt = new Prompt("fix it", "Fix it", RunOptions.NONE, Map.of());
      run = ((Outcome.Done) runs.start(prompt, new DeliveryId("slack:before"))).run();
      store.change(
          work ->
              work.bindings()
                  .save(
                      Samples.binding(
                          conversation(ROOT),
                          run,
                          new Actor("U0ANN", "ann"),
                          Request.of("fix it"),
                          Origin.NONE,
                          Optional.of(new PostRef("C0DEV/" + STATUS)),
                          slack.clock.instant(),
                          false,
                          0)));
    }

    /// The body with our run behind its button.
    String own(String body) {
      return body.replace(RUN_OF_THE_BUTTON, run.id().value());
    }

    boolean takes(Delivery delivery) {
      accepted.add(delivery);
      return store.accept(delivery);
    }

    Decided decides() {
      var dispatcher =
          Dispatchers.of(
              store, runs, Surfaces.of(List.of(slack.surface)), Policy.NONE, new Random(1));
      var conversations = new ArrayList<>(List.of(conversation(ROOT), conversation(OPENED)));
      accepted.stream().map(Delivery::conversation).forEach(conversations::add);
      // When nothing more follows that would be said along with it.
      var later = slack.clock.instant().plus(Duration.ofSeconds(2));
      for (var round = 0; round < 3; round++) {
        conversations.forEach(it -> dispatcher.step(it, later));
      }
      var traces =
          conversations.stream()
              .distinct()
              .flatMap(
                  it ->
                      store
                          .<List<DeliveryTrace>>commit(
                              work -> work.inbox().traces(it, Optional.empty(), 10))
                          .stream())
              .toList();
      return new Decided(
          List.copyOf(accepted), traces, runs.starts(), runs.followUps(), runs.cancels());
    }

    private static Conversation conversation(String ts) {
      return new SlackPlace("T0ACME", "C0DEV", ts).conversation();
    }
  }
}
