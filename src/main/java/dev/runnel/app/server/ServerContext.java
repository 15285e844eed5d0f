package dev.runnel.app.server;

import dev.runnel.app.data.DataFolder;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.Secrets;
import dev.runnel.app.settings.SettingsException;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.text.Redactor;
import java.net.URI;
import java.time.InstantSource;
import java.util.List;

/// The objects that all parts of the server share.
///
/// @param config the settings at the start
/// @param apiKey of the run service
/// @param memory what may wait in memory on behalf of others
record ServerContext(
    Config config,
    InstantSource clock,
    Resources resources,
    DataFolder data,
    ServerPorts ports,
    String apiKey,
    Redactor redactor,
    MemoryBudget memory) {
  /// Locks the data folder, and sets the secrets that the log redacts.
  ///
  /// @throws SettingsException if another server uses the folder, or a port is not free
  static ServerContext open(Config config, InstantSource clock, Resources resources) {
    var data = resources.opened(DataFolder.open(config.data()));
    data.delete(DataFolder.SERVER_ADDRESS);
    var ports = ServerPorts.of(config);
    var apiKey = config.agentApiKey().orElseGet(() -> DataFolder.key(data.path()));
    var redactor = Redactor.of(Secrets.of(config.settings())).and(List.of(apiKey));
    RedactingLayout.use(redactor);
    var memory = MemoryBudget.ofThisProcess();
    return new ServerContext(config, clock, resources, data, ports, apiKey, redactor, memory);
  }

  <T extends AutoCloseable> T opened(T resource) {
    return resources.opened(resource);
  }

  /// The URL at which platforms reach the server.
  URI publicUrl() {
    return config.addresses().publicUrlOr(ports.deliveries());
  }

  URI consoleUrl() {
    return config.addresses().consoleUrl(ports.admin());
  }
}
