package dev.runnel.app.server;

import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.policy.Policy;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.store.audit.SettingsAudit;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The settings of the running server, which a reload may change. Thread-safe.
final class LiveSettings {
  private static final Logger log = LoggerFactory.getLogger(LiveSettings.class);

  private final Config started;
  private final Supplier<Config> reread;
  private final Database database;
  private final InstantSource clock;
  private final SettingsReload settingsReload;
  private final List<BiConsumer<Config, Boolean>> listeners = new CopyOnWriteArrayList<>();
  private volatile Config latest;
  private volatile Policy policy;

  /// @param reread reads the settings again
  LiveSettings(ServerContext context, Supplier<Config> reread, Database database) {
    this.started = context.config();
    this.reread = reread;
    this.database = database;
    this.clock = context.clock();
    this.latest = started;
    this.policy = started.settings().policy();
    this.settingsReload = new SettingsReload(started, this::apply);
  }

  Policy policy() {
    return policy;
  }

  ConsoleOperation.InForce inForce() {
    return new ConsoleOperation.InForce(started, latest, settingsReload.current());
  }

  /// @param listener applies settings; the flag says whether to apply the hooks, too
  void onChange(BiConsumer<Config, Boolean> listener) {
    listeners.add(listener);
  }

  private void apply(Config now, boolean withHooks) {
    RedactingLayout.use(now.log());
    policy = now.settings().policy();
    listeners.forEach(listener -> listener.accept(now, withHooks));
  }

  /// Reads the settings again, applies what needs no restart, and audits what changed.
  ///
  /// @param who requested it
  /// @throws SettingsException if they are not valid; then nothing was changed
  SettingsReload.Result reload(AuditEntry.Person who) {
    var next = reread.get();
    Platforms.require(next.settings());
    var result = settingsReload.reload(next);
    latest = next;
    log.info(
        "settings reloaded by={} applied={} needing_restart={}",
        who.id(),
        result.applied(),
        result.atRestart());
    audit(settingsReload.current(), who);
    return result;
  }

  /// Audits which settings changed since the last start.
  void auditStart() {
    audit(started.settings().byPath(), AuditEntry.Person.RUNNEL);
  }

  private void audit(Map<String, String> byPath, AuditEntry.Person who) {
    try {
      new SettingsAudit(database).store(byPath, who, clock.instant());
    } catch (DatabaseException e) {
      log.warn("changed settings not audited error={}", e.toString());
    }
  }
}
