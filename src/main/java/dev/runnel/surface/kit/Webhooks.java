package dev.runnel.surface.kit;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// The parts of a webhook that trackers share.
public final class Webhooks {
  private static final Pattern ID = Pattern.compile("[!-~]{1,200}");

  private Webhooks() {}

  /// The delivery's id: the first of these headers that is sent, if it is well-formed.
  public static Optional<String> id(RawRequest request, List<String> headers) {
    return headers.stream()
        .flatMap(name -> request.header(name).stream())
        .findFirst()
        .filter(id -> ID.matcher(id).matches());
  }

  /// @param parsed empty when the event does not concern Runnel
  public static WebhookResult result(Optional<Delivery> parsed) {
    return parsed
        .<WebhookResult>map(delivery -> new WebhookResult.Accepted(delivery, Reply.empty(202)))
        .orElseGet(() -> new WebhookResult.Answered(Reply.empty(204)));
  }
}
