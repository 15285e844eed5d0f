package dev.runnel.core.scope;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Request;
import dev.runnel.core.port.Store;

/// Resolves the options of a request from the configured defaults and those that people have set.
public final class DefaultsResolver {
  private final Store store;
  private final Defaults defaults;
  private final Profiles profiles;

  public DefaultsResolver(Store store, Defaults defaults, Profiles profiles) {
    this.store = store;
    this.defaults = defaults;
    this.profiles = profiles;
  }

  public Defaults defaults() {
    return defaults;
  }

  public Profiles profiles() {
    return profiles;
  }

  public Defaults.Resolved of(Request request, Conversation conversation, Actor actor) {
    return defaults.resolve(
        request,
        conversation,
        actor,
        store.preferences(Defaults.places(conversation, actor)),
        profiles);
  }
}
