package dev.runnel.surface.slack.model;

import java.util.Optional;

/// How to reach a user privately; stored in [dev.runnel.core.model.conversation.Origin].
///
/// @param trigger a trigger id, which opens a modal within three seconds
/// @param address a response URL, which accepts messages that only the user sees, for 30 minutes
public record SlackReplyTo(Optional<String> trigger, Optional<String> address) {
  private static final String TRIGGER = "trigger:";
  private static final String DIRECTLY = "directly";

  public static SlackReplyTo of(Optional<String> value) {
    var trigger = Optional.<String>empty();
    var address = Optional.<String>empty();
    for (var part : value.orElse("").split(" ", -1)) {
      if (part.startsWith(TRIGGER)) {
        trigger = Optional.of(part.substring(TRIGGER.length()));
      } else if (part.startsWith("http")) {
        address = Optional.of(part);
      }
    }
    return new SlackReplyTo(trigger, address);
  }

  /// Whether it came from a modal or the Home tab, which have no response URL.
  public static boolean isDirectly(Optional<String> value) {
    return value.filter(DIRECTLY::equals).isPresent();
  }

  /// The inverse of [#of(Optional)]. Never blank, so that a request from the Home tab can be told
  /// from one in a thread.
  public String value() {
    var opens = trigger.map(it -> TRIGGER + it);
    return opens.isPresent() && address.isPresent()
        ? opens.get() + " " + address.get()
        : opens.or(() -> address).orElse(DIRECTLY);
  }
}
