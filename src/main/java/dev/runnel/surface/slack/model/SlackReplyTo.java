package dev.runnel.surface.slack.model;

import java.util.Optional;

/// How a private answer reaches the person: what [dev.runnel.core.model.Origin] keeps for us.
///
/// @param trigger opens a form, for three seconds
/// @param address takes messages that only the person sees, for half an hour
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

  /// Whether it came from a form or a page, which brought no address.
  public static boolean isDirectly(Optional<String> value) {
    return value.filter(DIRECTLY::equals).isPresent();
  }

  /// The inverse of [#of(Optional)]; never blank, so that what is asked on a page is known to come
  /// from no thread.
  public String value() {
    var opens = trigger.map(it -> TRIGGER + it);
    return opens.isPresent() && address.isPresent()
        ? opens.get() + " " + address.get()
        : opens.or(() -> address).orElse(DIRECTLY);
  }
}
