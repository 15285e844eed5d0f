package dev.runnel.core.flow;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Request;
import dev.runnel.core.port.Store;

/// What holds for a request: the defaults, with those that people have set.
final class Choices {
  private final Store store;
  private final Defaults defaults;
  private final Profiles profiles;

  Choices(Store store, Defaults defaults, Profiles profiles) {
    this.store = store;
    this.defaults = defaults;
    this.profiles = profiles;
  }

  Defaults defaults() {
    return defaults;
  }

  Profiles profiles() {
    return profiles;
  }

  Defaults.Resolved of(Request request, Conversation conversation, Actor actor) {
    return defaults.resolve(
        request,
        conversation,
        actor,
        store.preferences(Defaults.places(conversation, actor)),
        profiles);
  }
}
