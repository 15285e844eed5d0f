package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Database;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdentitiesTest {
  private Database database;
  private Identities identities;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    identities = new Identities(database, new SettableClock(), Map.of());
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void toolServerSecretsAreMaskedByTheApiButNotInRuns() {
    var created = create();
    var uid = created.path("uid").asText();

    for (var shown :
        new JsonNode[] {
          created,
          identities.find(uid).orElseThrow(),
          identities.list(Optional.empty()).getFirst(),
          identities.update(uid, json("{\"name\": \"b\"}")).orElseThrow()
        }) {
      assertThat(shown.path("mcp_servers"))
          .isEqualTo(
              json(
                  """
                  {"files": {"command": "files", "env": {"TOKEN": "***"}},
                   "web": {"url": "https://e.example", "headers": {"A": "***", "B": "***"}}}
                  """));
    }
    assertThat(servers(uid)).isEqualTo(json(SERVERS));
  }

  @Test
  void aMaskThatIsSentBackKeepsTheStoredSecret() {
    var uid = create().path("uid").asText();
    var shown = identities.find(uid).orElseThrow();
    ((ObjectNode) shown.at("/mcp_servers/web/headers")).put("B", "new");

    identities.update(uid, shown);

    assertThat(servers(uid)).isEqualTo(json(SERVERS.replace("secret-b", "new")));
  }

  @Test
  void aMaskWithoutAStoredSecretIsRefused() {
    var masked =
        json("{\"name\": \"a\", \"mcp_servers\": {\"x\": {\"env\": {\"TOKEN\": \"***\"}}}}");
    assertThatThrownBy(() -> identities.create(masked))
        .isInstanceOf(RequestProblem.class)
        .hasMessage("mcp_servers.x.env.TOKEN is a mask: send the value");

    var uid = create().path("uid").asText();
    assertThatThrownBy(() -> identities.update(uid, masked)).isInstanceOf(RequestProblem.class);
    assertThat(servers(uid)).isEqualTo(json(SERVERS));
  }

  private static final String SERVERS =
      """
      {"files": {"command": "files", "env": {"TOKEN": "secret-t"}},
       "web": {"url": "https://e.example", "headers": {"A": "secret-a", "B": "secret-b"}}}
      """;

  private ObjectNode create() {
    return identities.create(json("{\"name\": \"a\", \"mcp_servers\": " + SERVERS + "}"));
  }

  /// The tool servers of a run as this identity.
  private JsonNode servers(String uid) {
    var run = NewRun.parse(json("{\"prompt\": \"x\"}").put("agent_identity_uid", uid));
    return identities.withIdentity(run).config().orElseThrow().path("mcp_servers");
  }

  private static ObjectNode json(String text) {
    return (ObjectNode) ServiceJson.read(text);
  }
}
