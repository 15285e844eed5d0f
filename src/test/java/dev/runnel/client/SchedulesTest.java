package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.wire.CreateSchedule;
import dev.runnel.wire.Golden;
import dev.runnel.wire.Schedule;
import dev.runnel.wire.UpdateSchedule;
import org.junit.jupiter.api.Test;

class SchedulesTest extends GroupFixture {
  @Test
  void scheduleIsCreatedWithStatus201() throws Exception {
    server.enqueue(json(201, Golden.text("schedule")));

    assertThat(
            sends(
                client.schedules().create(Golden.read("create-schedule", CreateSchedule.class)),
                "POST /agent/schedules",
                Golden.tree("create-schedule")))
        .isEqualTo(Golden.read("schedule", Schedule.class));
  }

  @Test
  void allSchedulesAreListed() throws Exception {
    server.enqueue(json(200, "{\"schedules\": [" + Golden.text("schedule") + "]}"));

    assertThat(sends(client.schedules().list(), "GET /agent/schedules"))
        .containsExactly(Golden.read("schedule", Schedule.class));
  }

  @Test
  void scheduleIsRead() throws Exception {
    answerGolden("schedule");

    assertThat(sends(client.schedules().get("s-1"), "GET /agent/schedules/s-1"))
        .isEqualTo(Golden.read("schedule", Schedule.class));
  }

  @Test
  void scheduleIsChanged() throws Exception {
    answerGolden("schedule");

    sends(
        client.schedules().update("s-1", Golden.read("update-schedule", UpdateSchedule.class)),
        "PUT /agent/schedules/s-1",
        Golden.tree("update-schedule"));
  }

  @Test
  void scheduleIsDeletedWithStatus200() throws Exception {
    server.enqueue(json(200, "{\"success\": true}"));

    assertThat(sends(client.schedules().delete("s-1"), "DELETE /agent/schedules/s-1").success())
        .isTrue();
  }

  @Test
  void schedulePausesAndResumes() throws Exception {
    answerGolden("schedule");
    answerGolden("schedule");

    sends(client.schedules().pause("s-1"), "POST /agent/schedules/s-1/pause");
    assertThat(
            sends(client.schedules().resume("s-1"), "POST /agent/schedules/s-1/resume").enabled())
        .isTrue();
  }

  @Test
  void failedScheduleCallThrowsTheMatchingException() throws Exception {
    isRefused(
        client.schedules().get("s-1"), 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(
        client.schedules().create(Golden.read("create-schedule", CreateSchedule.class)),
        400,
        "invalid_request",
        RunsException.BadRequest.class);
  }

  @Test
  void emptyIdsAreNeverSent() throws Exception {
    var change = Golden.read("update-schedule", UpdateSchedule.class);
    areNeverSent(
        () -> client.schedules().get(""),
        () -> client.schedules().update(" ", change),
        () -> client.schedules().delete("."),
        () -> client.schedules().pause(""),
        () -> client.schedules().resume(""));
  }
}
