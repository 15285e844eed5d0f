package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.run.Caller;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.store.ServiceTables;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import dev.runnel.wire.ActionState;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.ConversationContent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConversationStepsTest {
  private static final String ADD_LINE =
      """
      INSERT INTO transcript_lines (run_id, number, execution, kind, said_at, text)
      VALUES (?, ?, 1, ?, 0, ?)
      """;

  @Test
  void resultsOfAnOlderVersionFailedIfTheyHaveNoOutput(@TempDir Path folder) throws Exception {
    try (var database =
        MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE)) {
      var clock = new SettableClock();
      var changes = RunChanges.on(database, clock);
      var id =
          ServiceJson.read(
                  changes
                      .runs()
                      .create(
                          NewRun.parse(ServiceJson.newObject().put("prompt", "x")),
                          Caller.MAIN,
                          Optional.empty(),
                          Optional.empty()))
              .path("run_id")
              .asText();
      var lines = List.of("DID", "Bash make", "RESULT", "failed", "DID", "Bash ls", "RESULT", "a");
      for (int i = 0; i < lines.size(); i += 2) {
        var line = i;
        var _ =
            database.<Integer>write(
                rows -> rows.change(ADD_LINE, id, line + 1, lines.get(line), lines.get(line + 1)));
      }

      var out = new ByteArrayOutputStream();
      var json = new ConversationJson(out, "c");
      ConversationSteps.write(id, new RunQueries(database), json);
      json.end();

      var conversation = ServiceJson.read(out.toString(StandardCharsets.UTF_8));
      var steps = ServiceJson.convert(conversation, Conversation.class).steps();
      assertThat(steps.getFirst().messages())
          .flatExtracting(message -> message.content())
          .filteredOn(content -> "action_result".equals(content.type()))
          .extracting(ConversationContent::state)
          .containsExactly(ActionState.FAILED, ActionState.COMPLETED);
    }
  }
}
