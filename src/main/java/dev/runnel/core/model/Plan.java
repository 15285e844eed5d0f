package dev.runnel.core.model;

import java.util.List;

/// What Runnel will do about a delivery.
public sealed interface Plan {
  /// The delivery came from a place without a thread: open one, then plan again in it.
  record OpenThread() implements Plan {}

  /// What it is about goes on in another conversation: plan again in that one's order.
  record MoveTo(Conversation conversation) implements Plan {}

  /// Start a run, bound to `conversation`.
  record StartRun(Conversation conversation, Request request) implements Plan {}

  record FollowUp(Binding binding, Request request) implements Plan {
    public FollowUp saying(String words) {
      return new FollowUp(binding, new Request(words, request.options()));
    }
  }

  record CancelRun(Binding binding) implements Plan {}

  /// Tell of the run here from now on.
  record LinkRun(RunId run) implements Plan {}

  /// Find out what the delivery asks for, and say it.
  record Answer(Intent intent) implements Plan {}

  /// Only say something.
  record Tell(List<Update> updates) implements Plan {
    public Tell {
      updates = List.copyOf(updates);
    }

    public static Tell one(Update update) {
      return new Tell(List.of(update));
    }
  }

  /// Not for us.
  record Ignore(String why) implements Plan {}
}
