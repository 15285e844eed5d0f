package dev.runnel.service.execution;

import static dev.runnel.service.RunningService.awaitFile;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.runnel.service.RunningService;
import dev.runnel.service.run.ExecutionListener;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.ObjectName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("slow")
class QueueTest {
  private static final int MANY = 200;
  private static final int SLOTS = 4;

  @TempDir Path folder;

  @Test
  void waitingRunShowsItsPositionInTheQueue() throws IOException {
    var command = "touch ready; until [ -e ../../go ]; do sleep 0.02; done; echo done";
    try (var service = RunningService.withCommand(folder, command, 1)) {
      var first = service.create("1");
      awaitFile(folder.resolve("workspaces/" + first + "/ready"));
      var second = service.create("2");
      var third = service.create("3");

      assertThat(service.message(second)).isEqualTo("Waiting for a free place (1st in the queue).");
      assertThat(service.message(third)).isEqualTo("Waiting for a free place (2nd in the queue).");
      assertThat(service.ok(service.get("/agent/runs?state=QUEUED")).at("/runs"))
          .anySatisfy(
              run ->
                  assertThat(run.at("/status_message/message").asText())
                      .isEqualTo("Waiting for a free place (2nd in the queue)."));

      service.cancel(second);
      assertThat(service.message(third)).isEqualTo("Waiting for a free place (1st in the queue).");

      Files.writeString(folder.resolve("go"), "");
      service.awaitState(third, "SUCCEEDED");
      assertThat(service.message(third)).isEqualTo("done");
    }
  }

  @Test
  void twoHundredRunsStartInOrderWithNoSlotLostAndNoneTooMany() throws IOException {
    var marks = Files.createDirectories(folder.resolve("marks"));
    var meeting = Files.createDirectories(folder.resolve("meeting"));
    // Each notes how many work at the same time as it; at the end as many as there are slots meet.
    var command =
        """
        if [ "$(cat)" = meet ]; then
          touch %s/$$; until [ $(ls %s | wc -l) = %d ]; do sleep 0.02; done
        fi
        touch %s/$$; ls %s | wc -l; rm %s/$$
        """
            .formatted(meeting, meeting, SLOTS, marks, marks, marks);
    try (var service = RunningService.withCommand(folder, command, SLOTS)) {
      var ids = new ArrayList<String>();
      for (int i = 0; i < MANY; i++) {
        ids.add(service.create("run " + i));
      }
      for (int i = 0; i < SLOTS; i++) {
        ids.add(service.create("meet"));
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofMillis(200))
          .untilAsserted(
              () -> ids.forEach(id -> assertThat(service.state(id)).isEqualTo("SUCCEEDED")));

      assertThat(ids)
          .isSortedAccordingTo(
              Comparator.comparing(
                  id -> Instant.parse(service.run(id).get("started_at").asText())));
      assertThat(ids)
          .allSatisfy(
              id -> assertThat(Integer.parseInt(service.message(id).strip())).isBetween(1, SLOTS));
    }
  }

  @Test
  void aRunThatIsClaimedWhileTheServiceClosesStaysQueued() {
    try (var service = RunningService.withCommand(folder, "touch ../../worked; sleep 300", 1)) {
      var closing = Thread.ofPlatform().unstarted(service.service::close);
      service.service.listen(
          new ExecutionListener() {
            @Override
            public void claimed(String source, Duration waited) {
              closing.start();
              // It has shut down the executions that it found, and waits for the slot of this one.
              await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
            }
          });
      var id = service.create("x");
      await().until(() -> closing.getState() == Thread.State.TERMINATED);

      assertThat(folder.resolve("worked")).doesNotExist();
      assertThat(service.state(id)).isEqualTo("QUEUED");
    }
  }

  @Test
  void personDoesNotWaitBehindAllRunsOfAnother() throws IOException {
    var command = "touch ready; until [ -e ../../go ]; do sleep 0.02; done; echo done";
    try (var service = RunningService.withCommand(folder, command, 1)) {
      var first = create(service, "ann");
      awaitFile(folder.resolve("workspaces/" + first + "/ready"));
      var ofAnn = new ArrayList<String>();
      for (int i = 0; i < 5; i++) {
        ofAnn.add(create(service, "ann"));
      }
      var ofBen = create(service, "ben");

      assertThat(service.message(ofBen)).isEqualTo("Waiting for a free place (1st in the queue).");
      Files.writeString(folder.resolve("go"), "");
      service.awaitState(ofAnn.getLast(), "SUCCEEDED");
      assertThat(started(service, ofBen)).isBefore(started(service, ofAnn.getFirst()));
    }
  }

  @Test
  void personStartsSoonDespiteThreeHundredLongRunsOfAnother() throws IOException {
    var command =
        "[ $(cat) = short ] && sleep 1 && exit; until [ -e ../../go ]; do sleep 0.1; done";
    try (var service = RunningService.withCommand(folder, command, SLOTS)) {
      for (int i = 0; i < 300; i++) {
        create(service, "ann");
      }
      for (int i = 0; i < 3; i++) {
        var ofBen = create(service, "ben", "short");
        service.awaitState(ofBen, "SUCCEEDED");

        var waited =
            Duration.between(
                Instant.parse(service.run(ofBen).get("created_at").asText()),
                started(service, ofBen));
        assertThat(waited).as("the wait of start %d", i).isLessThan(Duration.ofSeconds(15));
      }
      assertThat(service.ok(service.get("/agent/runs?state=INPROGRESS")).at("/runs"))
          .as("runs of the first person at work")
          .hasSize(SLOTS - 1);
    }
  }

  @Test
  void followUpsCountAsTurnsEvenOfUnknownPeople() throws IOException {
    var command = "p=$(cat); touch ready; until [ -e ../../go$p ]; do sleep 0.02; done; echo done";
    try (var service = RunningService.withCommand(folder, command, 1)) {
      Files.writeString(folder.resolve("gowork"), "");
      var ofAnn = create(service, "ann");
      service.awaitState(ofAnn, "SUCCEEDED");
      var ofNobody = service.create("work");
      service.awaitState(ofNobody, "SUCCEEDED");

      // The one without a name was served last, until somebody replies to the run of Ann.
      var first = create(service, "ben", "held");
      awaitFile(folder.resolve("workspaces/" + first + "/ready"));
      service.followUp(ofNobody, "work");
      var nextOfAnn = create(service, "ann");
      assertThat(service.message(nextOfAnn)).contains("(1st in the queue)");
      service.cancel(nextOfAnn);
      Files.writeString(folder.resolve("goheld"), "");
      service.awaitState(ofNobody, "SUCCEEDED");
      service.followUp(ofAnn, "work");
      service.awaitState(ofAnn, "SUCCEEDED");

      Files.delete(folder.resolve("goheld"));
      var second = create(service, "ben", "held");
      awaitFile(folder.resolve("workspaces/" + second + "/ready"));
      nextOfAnn = create(service, "ann");
      var nextOfNobody = service.create("work");
      assertThat(service.message(nextOfNobody)).contains("(1st in the queue)");
      assertThat(service.message(nextOfAnn)).contains("(2nd in the queue)");
      Files.writeString(folder.resolve("goheld"), "");
      service.awaitState(nextOfAnn, "SUCCEEDED");
    }
  }

  private static String create(RunningService service, String person) throws IOException {
    return create(service, person, "work");
  }

  private static String create(RunningService service, String person, String prompt)
      throws IOException {
    return service
        .ok(
            service.post(
                "/agent/runs",
                """
                {"prompt": "%s",
                 "metadata": {"runnel.surface": "slack", "runnel.person": "%s"}}
                """
                    .formatted(prompt, person)))
        .get("run_id")
        .asText();
  }

  private static Instant started(RunningService service, String id) throws IOException {
    return Instant.parse(service.run(id).get("started_at").asText());
  }

  @Test
  void waitingRunsUseOnlyTheDatabase() throws Exception {
    var working = Files.createDirectories(folder.resolve("working"));
    var command =
        "touch %s/$$; until [ -e %s ]; do sleep 0.02; done"
            .formatted(working, folder.resolve("go"));
    // What tests before this one have left in the JVM counts for nothing here.
    var others = executions(living());
    try (var service = RunningService.withCommand(folder, command, SLOTS)) {
      for (int i = 0; i < SLOTS; i++) {
        service.create("at work " + i);
      }
      await().until(() -> working.toFile().list().length == SLOTS);
      var before = living();
      String last = "";
      for (int i = 0; i < MANY; i++) {
        last = service.create("run " + i);
      }

      var living = living();
      assertThat(executions(living)).isLessThanOrEqualTo(others + SLOTS);
      assertThat(living)
          .as("what lives in memory while %d runs wait, and before: %s", MANY, before)
          .allSatisfy(
              (name, number) ->
                  assertThat(number - before.getOrDefault(name, 0)).isLessThan(MANY / 4));

      Files.writeString(folder.resolve("go"), "");
      service.awaitState(last, "SUCCEEDED");
      await().untilAsserted(() -> assertThat(executions(living())).isLessThanOrEqualTo(others));
    }
  }

  private static int executions(Map<String, Integer> living) {
    return living.getOrDefault(Execution.class.getName(), 0);
  }

  /// How many there are of everything of Runnel's, and of threads, after a garbage collection.
  private static Map<String, Integer> living() throws JMException {
    var histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    var living = new HashMap<String, Integer>();
    for (var line : histogram.lines().toList()) {
      // Number, instances, bytes, name.
      var columns = line.strip().split(" +", -1);
      if (columns.length > 3
          && (columns[3].matches("dev\\.runnel\\.service\\.[A-Za-z.]+")
              || columns[3].startsWith("java.lang.VirtualThread")
              || columns[3].equals("java.lang.Thread"))) {
        living.put(columns[3], Integer.parseInt(columns[1]));
      }
    }
    return living;
  }
}
