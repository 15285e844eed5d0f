package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/web | url | \"https://other.example\" | web.headers.A",
        "/web | url | \"http://e.example\" | web.headers.A",
        "/web | url | \"https://e.example:8443\" | web.headers.A",
        "/web | url | \"https://e.example@other.example/\" | web.headers.A",
        "/web | url | \"\" | web.headers.A",
        "/files | command | \"sh\" | files.env.TOKEN",
        "/files | args | [\"-c\", \"env\"] | files.env.TOKEN",
      })
  void storedSecretDoesNotFollowAServerToAnotherAddress(
      String server, String member, String value, String named) {
    var uid = create().path("uid").asText();
    var changed = identities.find(uid).orElseThrow();
    ((ObjectNode) changed.at("/mcp_servers" + server)).set(member, ServiceJson.read(value));

    assertThatThrownBy(() -> identities.update(uid, changed))
        .isInstanceOf(RequestProblem.class)
        .hasMessage(
            "mcp_servers.%s is a mask, and mcp_servers%s.%s has changed: send the value"
                .formatted(named, server.replace('/', '.'), member));
    assertThat(servers(uid)).isEqualTo(json(SERVERS));
  }

  @Test
  void anotherPathOfTheSameHostKeepsTheStoredSecret() {
    var uid = create().path("uid").asText();
    var changed = identities.find(uid).orElseThrow();
    ((ObjectNode) changed.at("/mcp_servers/web")).put("url", "https://E.example:443/mcp");

    identities.update(uid, changed);

    assertThat(servers(uid).at("/web/headers/A").asText()).isEqualTo("secret-a");
    assertThat(servers(uid).at("/web/url").asText()).isEqualTo("https://E.example:443/mcp");
  }

  @Test
  void secretsInArgumentsAndAddressesAreMaskedAndKeptWhenSentBack() {
    var servers =
        """
        {"files": {"command": "npx", "args": ["-y", "files", "--token", "s3cret", "--api-key=s3cret",
           "-H", "Authorization: s3cret", "GITHUB_TOKEN=s3cret", "xoxb-1234567890-s3cret",
           "https://ann:s3cret@e.example/a?k=s3cret", "--dir=/srv",
           "https://auth.example:8443/a"]},
         "web": {"url": "https://ann:s3cret@e.example:8443/mcp?key=s3cret"}}
        """;
    var shown = identities.create(json("{\"name\": \"a\", \"mcp_servers\": " + servers + "}"));
    var uid = shown.path("uid").asText();

    assertThat(shown.path("mcp_servers"))
        .isEqualTo(
            json(
                """
                {"files": {"command": "npx", "args": ["-y", "files", "--token", "***", "--api-key=***",
                   "-H", "***", "GITHUB_TOKEN=***", "***", "https://***@e.example/a?***",
                   "--dir=/srv", "https://auth.example:8443/a"]},
                 "web": {"url": "https://***@e.example:8443/mcp?***"}}
                """));

    identities.update(uid, shown);
    assertThat(servers(uid)).isEqualTo(json(servers));

    ((ArrayNode) shown.at("/mcp_servers/files/args")).add("--more");
    assertThatThrownBy(() -> identities.update(uid, shown))
        .hasMessage("mcp_servers.files.args.3 is a mask: send the value");
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
