package dev.runnel.store;

import com.github.benmanes.caffeine.cache.Cache;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Store;
import java.util.List;
import java.util.Optional;

/// Read-only bindings with a cache for the lookup by run, which each poll does for every changed
/// run. Missing bindings are not cached, because another node may create them. A binding that
/// cannot be read counts as missing, so that the other runs are watched.
final class CachedBindings implements Store.Bindings {
  private final SqlBindings bindings;
  private final Cache<RunId, Binding> byRun;

  CachedBindings(SqlBindings bindings, Cache<RunId, Binding> byRun) {
    this.bindings = bindings;
    this.byRun = byRun;
  }

  @Override
  @SuppressWarnings("NullAway") // a loader of Caffeine's returns null for "not there"
  public Optional<Binding> of(RunId run) {
    return Optional.ofNullable(byRun.get(run, id -> bindings.ifReadable(id).orElse(null)));
  }

  @Override
  public Optional<Binding> of(Conversation conversation) {
    return bindings.of(conversation);
  }

  @Override
  public List<Binding> active() {
    return bindings.active();
  }

  @Override
  public int countActive() {
    return bindings.countActive();
  }

  @Override
  public boolean hasActive() {
    return bindings.hasActive();
  }

  @Override
  public List<Binding> recent(Optional<SurfaceId> surface, String place, int limit) {
    return bindings.recent(surface, place, limit);
  }

  @Override
  public List<Binding> startingWith(String id, int limit) {
    return bindings.startingWith(id, limit);
  }

  @Override
  public boolean save(Binding binding) {
    throw new IllegalStateException("A binding is saved in a commit");
  }

  @Override
  public void release(Conversation conversation, RunId run) {
    throw new IllegalStateException("A binding is released in a commit");
  }

  @Override
  public void statusPosted(Conversation conversation, RunId run, PostRef status) {
    throw new IllegalStateException("A binding is changed in a commit");
  }
}
