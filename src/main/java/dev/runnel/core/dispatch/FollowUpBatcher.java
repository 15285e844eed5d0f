package dev.runnel.core.dispatch;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.port.Store.Work;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Combines queued messages of one person into one message to the run, in order. The combination is
/// stored, so that a repeated attempt sends the same text.
record FollowUpBatcher(ListeningPolicy listeningPolicy, LinkedConversations linkedConversations) {
  /// Maximum length of a combined message, in characters.
  private static final int MAX_LENGTH = 30_000;

  /// Adds the deliveries queued directly behind the attempt's own that can be sent with it. Must be
  /// called before the first attempt to send the delivery.
  DeliveryAttempt join(Work work, DeliveryAttempt attempt, Binding binding) {
    // The answer to a question is sent alone, and so is a message with the content of its links.
    if (!attempt.parts().isEmpty()
        || attempt.delivery().snapshot().linked().isPresent()
        || attempt.delivery().intent().answeredQuestion().isPresent()) {
      return attempt;
    }
    var first = attempt.delivery();
    var parts = new ArrayList<Delivery>();
    var length = words(first).length();
    for (var next : queuedBehind(work.inbox().waiting(attempt.conversation()), first)) {
      if (!belongs(next, first, binding)) {
        break;
      }
      length += words(next.item()).length() + 2;
      if (length > MAX_LENGTH) {
        break;
      }
      parts.add(next.item());
    }
    if (parts.isEmpty()) {
      return attempt;
    }
    var whole = joined(first, parts);
    work.inbox().join(whole, parts);
    return new DeliveryAttempt(
        whole, parts, attempt.tries(), attempt.now(), attempt.note(), attempt.ruling());
  }

  private static List<Pending<Delivery>> queuedBehind(
      List<Pending<Delivery>> waiting, Delivery first) {
    return waiting.stream()
        .dropWhile(each -> !each.item().id().equals(first.id()))
        .skip(1)
        .toList();
  }

  private boolean belongs(Pending<Delivery> next, Delivery first, Binding binding) {
    return next.tries() == 0
        && next.item().intent() instanceof Intent.Say(var request)
        && request.options().equals(RunOptions.NONE)
        && !next.item().origin().opensThread()
        && next.item().actor().id().equals(first.actor().id())
        && listeningPolicy.accepts(next.item(), binding)
        && !linkedConversations.appearIn(next.item());
  }

  private static Delivery joined(Delivery first, List<Delivery> parts) {
    var text =
        Stream.concat(Stream.of(first), parts.stream())
            .map(FollowUpBatcher::words)
            .collect(Collectors.joining("\n\n"));
    var options = first.intent().agentRequest().map(Request::options).orElse(RunOptions.NONE);
    return first.withIntent(new Intent.Say(new Request(text, options)));
  }

  private static String words(Delivery delivery) {
    return delivery.intent().agentRequest().map(Request::text).orElse("");
  }
}
