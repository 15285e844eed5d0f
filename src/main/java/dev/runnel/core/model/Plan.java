package dev.runnel.core.model;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import java.util.List;

/// The action that Runnel takes for a delivery.
public sealed interface Plan {
  /// The delivery came from a place without a thread: open one, then plan again in it.
  record OpenThread() implements Plan {}

  /// It concerns another conversation: plan again there, in that conversation's order.
  record MoveTo(Conversation conversation) implements Plan {}

  /// Start a run, bound to `conversation`.
  record StartRun(Conversation conversation, Request request) implements Plan {}

  record FollowUp(Binding binding, Request request) implements Plan {
    public FollowUp withText(String text) {
      return new FollowUp(binding, new Request(text, request.options()));
    }
  }

  record CancelRun(Binding binding) implements Plan {}

  /// Post about the run in this conversation from now on.
  record LinkRun(RunId run) implements Plan {}

  /// Look up the answer to a question, and post it.
  record Answer(Intent.GeneralCommand command) implements Plan {}

  /// Only post updates.
  record Tell(List<Update> updates) implements Plan {
    public Tell {
      updates = List.copyOf(updates);
    }

    public static Tell one(Update update) {
      return new Tell(List.of(update));
    }
  }

  /// Not addressed to Runnel.
  record Ignore(String why) implements Plan {}
}
