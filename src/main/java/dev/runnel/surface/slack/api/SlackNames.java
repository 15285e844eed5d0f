package dev.runnel.surface.slack.api;

import dev.runnel.surface.kit.Recent;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Names of people and channels by their ids; asked for once, as long as they fit. A name that
/// cannot be had is not worth a failure: the id stands for it.
public final class SlackNames {
  private static final int MAX = 2_000;

  private final SlackApi api;
  private final Map<String, String> known = Recent.map(MAX);

  public SlackNames(SlackApi api) {
    this.api = api;
  }

  /// A person's.
  public Optional<String> of(String user) {
    return of(user, api::name);
  }

  /// A channel's, without its `#`.
  public Optional<String> ofChannel(String channel) {
    return of(channel, api::channelName);
  }

  private Optional<String> of(String id, Function<String, SlackResponse<String>> ask) {
    var name = known.get(id);
    if (name == null) {
      name =
          switch (ask.apply(id)) {
            case SlackResponse.Ok<String>(String asked) -> asked;
            case SlackResponse.No<String> _ -> id;
            case SlackResponse.Wait<String> _ -> null;
          };
      if (name != null) {
        known.put(id, name);
      }
    }
    return Optional.ofNullable(name);
  }
}
