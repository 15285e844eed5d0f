package dev.runnel.surface.slack.api;

import dev.runnel.surface.kit.BoundedCaches;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/// Looks up names of users and channels by id, and caches a limited number of them. A failed
/// look-up is not an error: callers show the id instead.
public final class SlackNames {
  private static final int MAX = 2_000;

  private final SlackApi api;
  private final Map<String, String> known = BoundedCaches.map(MAX);

  public SlackNames(SlackApi api) {
    this.api = api;
  }

  /// A user's display name.
  public Optional<String> of(String user) {
    return of(user, api::name);
  }

  /// A channel's name, without its `#`.
  public Optional<String> ofChannel(String channel) {
    return of(channel, api::channelName);
  }

  /// Whether only its members can read a channel; also true if that cannot be looked up now.
  public boolean isPrivate(String channel) {
    return !(api.access(channel) instanceof SlackResponse.Ok<SlackApi.ChannelAccess>(var access))
        || access.isPrivate();
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
