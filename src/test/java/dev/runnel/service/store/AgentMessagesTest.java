package dev.runnel.service.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.database.Database;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.RunChanges;
import dev.runnel.testkit.SettableClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// An agent of the run `root` sends messages to its child.
class AgentMessagesTest {
  private static final String LARGEST = "é".repeat(AgentMessages.MAX_FOLLOW_UP_OF_AGENT / 2);

  private final SettableClock clock = new SettableClock();
  private Database database;
  private RunChanges changes;
  private Caller agent;
  private String child;

  @BeforeEach
  void open(@TempDir Path folder) {
    database = MigratedFile.open(folder.resolve("agent-runs.db"), ServiceTables.ON_SQLITE);
    changes = RunChanges.on(database, clock);
    var root = create(Caller.MAIN, "x", Optional.empty());
    changes.records().begin(changes.records().claimNext(0).orElseThrow());
    agent = new Caller("agent", "Agent", new Caller.Scope.Below(root));
    child = create(agent, "x", Optional.of(root));
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void messagesOfAFamilyAreRefusedOnceTheyFillTheirHour() {
    var sent = fillHour();
    assertThat(sent).isEqualTo(15);

    assertTooLarge(() -> say(agent, LARGEST))
        .withMessageStartingWith("The agents of this run may send each other at most 4,194,304");
    assertTooLarge(() -> create(agent, LARGEST, Optional.of(child)));
    assertThat(messages()).isEqualTo(sent);
  }

  @Test
  void messagesAreAcceptedAgainAfterAnHour() {
    fillHour();

    clock.advance(Duration.ofMinutes(61));

    say(agent, LARGEST);
  }

  @Test
  void promptsOfRunsThatAgentsStartCountToo() {
    for (int i = 0; i < 4; i++) {
      create(agent, "x".repeat(1_000_000), Optional.of(child));
    }

    assertTooLarge(() -> create(agent, "x".repeat(1_000_000), Optional.of(child)));
    assertTooLarge(() -> say(agent, LARGEST));
  }

  @Test
  void messagesOfPeopleAreNotCounted() {
    fillHour();

    for (int i = 0; i < 10; i++) {
      say(Caller.MAIN, "x".repeat(AgentMessages.MAX_FOLLOW_UP));
    }
  }

  @Test
  void followUpThatIsTooLargeIsRefusedWithAWayOut() {
    assertTooLarge(() -> say(Caller.MAIN, "x".repeat(AgentMessages.MAX_FOLLOW_UP + 1)))
        .withMessage(
            "A follow-up has at most 1,048,576 bytes, and this one has 1,048,577. Put the text"
                + " into a file, and name the file.");
    assertTooLarge(() -> say(agent, LARGEST + "x"))
        .withMessageStartingWith("A follow-up of an agent has at most 262,144 bytes");
    assertThat(messages()).isZero();
  }

  /// @return the number of messages of the largest size that were accepted
  private int fillHour() {
    for (int sent = 0; sent < 40; sent++) {
      try {
        say(agent, LARGEST);
      } catch (RequestProblem full) {
        return sent;
      }
    }
    return 40;
  }

  private static ThrowableAssertAlternative<RequestProblem> assertTooLarge(ThrowingCallable call) {
    return assertThatExceptionOfType(RequestProblem.class)
        .isThrownBy(call)
        .returns(RequestProblem.Code.REQUEST_TOO_LARGE, RequestProblem::code);
  }

  private void say(Caller caller, String message) {
    changes.runs().followUp(child, message, caller, Optional.empty(), false, Optional.empty());
  }

  private String create(Caller caller, String prompt, Optional<String> parent) {
    ObjectNode request = ServiceJson.newObject().put("prompt", prompt);
    parent.ifPresent(id -> request.put("parent_run_id", id));
    var created =
        changes.runs().create(NewRun.parse(request), caller, Optional.empty(), Optional.empty());
    return ServiceJson.read(created).path("run_id").asText();
  }

  private long messages() {
    return database.read(
        rows -> rows.first("SELECT COUNT(*) FROM follow_ups", row -> row.getLong(1)).orElseThrow());
  }
}
