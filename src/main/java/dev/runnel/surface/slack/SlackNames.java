package dev.runnel.surface.slack;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/// People's names by user id; asked for once, as long as they fit. A name that cannot be had is not
/// worth a failure: the id stands for it.
final class SlackNames {
  private static final int MOST = 2_000;

  private final SlackApi api;
  private final Map<String, String> known =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
              return size() > MOST;
            }
          });

  SlackNames(SlackApi api) {
    this.api = api;
  }

  Optional<String> of(String user) {
    var name = known.get(user);
    if (name == null) {
      name =
          switch (api.name(user)) {
            case Answer.Ok<String>(String asked) -> asked;
            case Answer.No<String> _ -> user;
            case Answer.Wait<String> _ -> null;
          };
      if (name != null) {
        known.put(user, name);
      }
    }
    return Optional.ofNullable(name);
  }
}
