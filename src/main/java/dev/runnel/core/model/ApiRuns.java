package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;

/// The runs that no thread or issue asked for: somebody started them through the API, from the
/// terminal or by a schedule of the run service, or another run did. People write to them and stop
/// them in the console only, where each has a conversation of its own.
public final class ApiRuns {
  /// The place of all these runs, in rules and in their conversations.
  public static final SurfaceId SURFACE = new SurfaceId("api");

  /// Stands for their requesters, whom Runnel does not know. No account of a platform has this id.
  public static final Actor REQUESTER = new Actor("the API", "the API");

  private ApiRuns() {}

  public static Conversation conversation(RunId run) {
    return new Conversation(SURFACE, run.value());
  }
}
