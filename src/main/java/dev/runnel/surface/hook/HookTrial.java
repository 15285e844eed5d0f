package dev.runnel.surface.hook;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.json.RefusedJsonException;
import java.util.Optional;

/// Shows what a hook would do with a sample body. Pure; needs no authentication.
public sealed interface HookTrial {
  record Start(String conversation, String delivery, Request request) implements HookTrial {}

  record Stop(String conversation) implements HookTrial {}

  record Nothing(String why) implements HookTrial {}

  static HookTrial of(Hook hook, byte[] sample) {
    JsonNode body;
    try {
      body = HookSurface.body(hook, sample);
    } catch (RefusedJsonException refused) {
      return new Nothing("The sample cannot be read: " + refused.why() + ".");
    }
    // A sample has no headers: any header that identifies deliveries gets one fixed value.
    return switch (HookReading.of(hook, body, sample, _ -> Optional.of("sample"))) {
      case HookReading.Ignored(var why) -> new Nothing("Not for this hook: " + why + ".");
      case HookReading.Incomplete(var why) -> new Nothing(why + ".");
      case HookReading.Accepted(Intent.Say(var request), var delivery, var conversation, _) ->
          new Start(conversation, delivery, request);
      case HookReading.Accepted(_, _, var conversation, _) -> new Stop(conversation);
    };
  }
}
