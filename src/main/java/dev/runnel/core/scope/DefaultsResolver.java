package dev.runnel.core.scope;

import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.port.Store;

/// Resolves the options of a request from the configured defaults and those that people set.
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

  /// The resolved options of a request that is about no issue.
  public Defaults.Resolved of(Request request, Conversation conversation, Actor actor) {
    return of(request, conversation, actor, Snapshot.NONE);
  }

  /// @param about the issue of the request
  public Defaults.Resolved of(
      Request request, Conversation conversation, Actor actor, Snapshot about) {
    return defaults.resolve(
        request,
        conversation,
        actor,
        about,
        store.preferences(Defaults.places(conversation, actor)),
        profiles);
  }
}
