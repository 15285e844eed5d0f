package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Database;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchedulesTest {
  private Database database;
  private Schedules schedules;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    schedules =
        new Schedules(database, new SettableClock(), new Semaphore(0), UnaryOperator.identity());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void maskedSecretsSentBackKeepTheirStoredValues() {
    var created = schedules.create(schedule());
    var shown = created.show();
    assertThat(shown.at(TOKEN).asText()).isEqualTo("***");

    shown.put("name", "weekly");
    var updated = schedules.update(created.id(), shown).orElseThrow();

    assertThat(updated.name()).isEqualTo("weekly");
    assertThat(updated.body().at(TOKEN).asText()).isEqualTo("secret-t");
    assertThat(schedules.find(created.id()).orElseThrow().show().at(TOKEN).asText())
        .isEqualTo("***");
  }

  @Test
  void storedSecretOfAScheduleDoesNotFollowAnotherCommand() {
    var created = schedules.create(schedule());
    var changed = created.show();
    ((ObjectNode) changed.at("/agent_config/mcp_servers/files")).put("command", "sh");

    assertThatThrownBy(() -> schedules.update(created.id(), changed))
        .isInstanceOf(RequestProblem.class)
        .hasMessageContaining(
            "mcp_servers.files.env.TOKEN is a mask, and mcp_servers.files.command");
    assertThat(schedules.find(created.id()).orElseThrow().body().at(TOKEN).asText())
        .isEqualTo("secret-t");
  }

  private static final String TOKEN = "/agent_config/mcp_servers/files/env/TOKEN";

  private static ObjectNode schedule() {
    return (ObjectNode)
        ServiceJson.read(
            """
            {"name": "daily", "cron_schedule": "0 9 * * *", "prompt": "Look", "enabled": true,
             "agent_config": {"mcp_servers":
               {"files": {"command": "files", "env": {"TOKEN": "secret-t"}}}}}
            """);
  }
}
