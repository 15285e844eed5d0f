package dev.runnel.testkit;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Values that tests talk about.
public final class Samples {
  public static final SurfaceId SURFACE = new SurfaceId("fake");
  public static final Conversation THREAD = new Conversation(SURFACE, "team/channel/1");
  public static final Conversation OTHER_THREAD = new Conversation(SURFACE, "team/channel/2");
  public static final Actor DANA = new Actor("U1", "dana");
  public static final Actor SAM = new Actor("U2", "sam");
  public static final Instant NINE = Instant.parse("2026-01-05T09:00:00Z");

  private Samples() {}

  /// A delivery whose id and meaning follow from `id`, in the thread, by Dana, at nine.
  public static Delivery delivery(String id, Intent intent) {
    return delivery(id, intent, THREAD);
  }

  public static Delivery delivery(String id, Intent intent, Conversation conversation) {
    return new Delivery(
        new DeliveryId("fake:" + id),
        "said:" + id,
        conversation,
        DANA,
        intent,
        true,
        new Origin(
            Optional.empty(), Optional.empty(), Optional.of(new PostRef("message-" + id)), false),
        NINE);
  }

  public static Intent start(String text) {
    return new Intent.Start(Request.of(text));
  }

  public static Intent say(String text) {
    return new Intent.Say(Request.of(text));
  }

  public static Intent cancel() {
    return new Intent.Cancel(Optional.empty(), Optional.empty());
  }

  /// A run as last seen at nine.
  public static Run run(String id, RunState state) {
    return run(
        new RunId(id),
        "Fix the test",
        state,
        state.name(),
        Optional.empty(),
        false,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(NINE),
        Optional.empty());
  }

  /// The run in another state, with another message, a while after nine.
  public static Run later(Run run, RunState state, String message, int seconds) {
    return run.with(
        it ->
            it.state(state)
                .stateName(state.name())
                .message(Optional.of(message))
                .updatedAt(Optional.of(NINE.plusSeconds(seconds))));
  }

  /// A run without what only some services report.
  public static Run run(
      RunId id,
      String title,
      RunState state,
      String stateName,
      Optional<String> message,
      boolean retryable,
      Optional<URI> session,
      List<Artifact> artifacts,
      Optional<String> cost,
      Optional<Duration> runTime,
      Optional<Instant> updatedAt,
      Optional<DeliveryId> delivery) {
    return Run.unseen(id)
        .with(
            it ->
                it.title(title)
                    .state(state)
                    .stateName(stateName)
                    .message(message)
                    .retryable(retryable)
                    .session(session)
                    .artifacts(artifacts)
                    .cost(cost)
                    .runTime(runTime)
                    .updatedAt(updatedAt)
                    .delivery(delivery));
  }

  /// A binding that waits for nothing.
  public static Binding binding(
      Conversation conversation,
      Run run,
      Actor requester,
      Request request,
      Origin origin,
      Optional<PostRef> status,
      Instant since,
      boolean reopened,
      long version) {
    return new Binding(
        conversation,
        run,
        requester,
        request,
        origin,
        status,
        since,
        reopened,
        Optional.empty(),
        List.of(),
        Optional.empty(),
        version);
  }
}
