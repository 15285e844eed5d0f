package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreateSchedule;
import dev.runnel.wire.McpServer;
import dev.runnel.wire.UpdateIdentity;
import dev.runnel.wire.UpdateSchedule;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// What can never work is not sent.
class RequestChecksTest extends ClientFixture {
  private static final Map<String, McpServer> BOTH =
      Map.of("docs", McpServer.builder().command("npx").url("https://docs.example/mcp").build());
  private static final Map<String, McpServer> NEITHER = Map.of("docs", McpServer.builder().build());

  static Stream<Consumer<RunsClient>> requests() {
    return Stream.of(BOTH, NEITHER)
        .flatMap(
            servers -> {
              var config = AgentConfig.builder().mcpServers(servers).build();
              var run = CreateRun.builder().prompt("fix it").config(config).build();
              return Stream.<Consumer<RunsClient>>of(
                  client -> client.runs().create(run),
                  client -> client.runs().createOnce(run, "k1"),
                  client ->
                      client
                          .schedules()
                          .create(
                              CreateSchedule.builder()
                                  .name("nightly")
                                  .cronSchedule("0 3 * * *")
                                  .agentConfig(config)
                                  .build()),
                  client ->
                      client
                          .schedules()
                          .update(
                              "s1",
                              UpdateSchedule.builder()
                                  .name("nightly")
                                  .cronSchedule("0 3 * * *")
                                  .enabled(true)
                                  .agentConfig(config)
                                  .build()),
                  client ->
                      client
                          .identities()
                          .create(CreateIdentity.builder().name("x").mcpServers(servers).build()),
                  client ->
                      client
                          .identities()
                          .update("i1", UpdateIdentity.builder().mcpServers(servers).build()));
            });
  }

  @ParameterizedTest
  @MethodSource("requests")
  void toolServerMustHaveExactlyOneOfIdCommandAndUrl(Consumer<RunsClient> request) {
    try (var client = builder().build()) {
      assertThatThrownBy(() -> request.accept(client))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("The tool server docs needs exactly one of warpId, command and url");
    }
  }
}
