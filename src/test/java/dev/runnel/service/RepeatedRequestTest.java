package dev.runnel.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What the official libraries do after an answer that did not arrive: they send the same body
/// again and count the tries in a header.
@Tag("slow")
class RepeatedRequestTest {
  @TempDir static Path folder;
  private static RunningService service;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, "exec sleep 300", 1);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void repeatedStartGetsTheFirstRun() {
    var first = run(create("start once", 0));

    assertThat(run(create("start once", 1))).isEqualTo(first);
    assertThat(run(create("start once", 2))).isEqualTo(first);
    assertThat(titled("start once")).isOne();
  }

  @Test
  void repeatOfARequestThatNeverArrivedStartsARun() {
    var first = run(create("arrives late", 1));

    assertThat(run(create("arrives late", 2))).isEqualTo(first);
    assertThat(titled("arrives late")).isOne();
  }

  @Test
  void sameWorkMayBeAskedForTwice() {
    var first = run(create("again", 0));
    var second = run(create("again", 0));

    assertThat(second).isNotEqualTo(first);
    assertThat(run(create("again", 1))).isEqualTo(second);
    assertThat(titled("again")).isEqualTo(2);
  }

  @Test
  void anotherBodyAndAnotherKeyStartAnotherRun() {
    var first = run(create("mine", 0));
    var key =
        RunningService.json(service.post("/agent/keys", "{\"name\":\"other\",\"scope\":\"runs\"}"))
            .get("key")
            .asText();

    assertThat(run(create("mine, too", 1))).isNotEqualTo(first);
    assertThat(
            run(
                service.send(
                    service
                        .request("/agent/runs")
                        .setHeader("Authorization", "Bearer " + key)
                        .header("X-Stainless-Retry-Count", "1")
                        .POST(BodyPublishers.ofString("{\"prompt\":\"mine\"}")))))
        .isNotEqualTo(first);
  }

  @Test
  void requestsOfOtherProgramsAreNotCompared() {
    var body = "{\"prompt\":\"plain\"}";
    var first = run(service.post("/agent/runs", body));

    assertThat(run(service.post("/agent/runs", body))).isNotEqualTo(first);
  }

  @Test
  void refusedStartIsNoAnswerToRepeat() {
    assertThat(create(" ", 0).statusCode()).isEqualTo(400);
    assertThat(create(" ", 1).statusCode()).isEqualTo(400);
  }

  @Test
  void countThatIsNoNumberIsIgnored() {
    for (var count : new String[] {"", "x", "-1", "99999999999999999999"}) {
      assertThat(
              service
                  .send(
                      service
                          .request("/agent/runs")
                          .header("X-Stainless-Retry-Count", count)
                          .POST(BodyPublishers.ofString("{\"prompt\":\"odd\"}")))
                  .statusCode())
          .isEqualTo(200);
    }
  }

  @Test
  void repeatedFollowUpIsSaidOnce() {
    var id = run(create("talks", 0));
    var path = "/agent/runs/" + id + "/followups";
    var first = post(path, "{\"message\":\"and this\"}", 0);

    assertThat(post(path, "{\"message\":\"and this\"}", 1).body()).isEqualTo(first.body());
    assertThat(service.run(id).get("prompt").asText()).containsOnlyOnce("and this");
  }

  private static HttpResponse<String> create(String prompt, int count) {
    return post("/agent/runs", "{\"prompt\":\"" + prompt + "\"}", count);
  }

  private static HttpResponse<String> post(String path, String body, int count) {
    return service.send(
        service
            .request(path)
            .header("X-Stainless-Retry-Count", Integer.toString(count))
            .POST(BodyPublishers.ofString(body)));
  }

  private static String run(HttpResponse<String> created) {
    return service.ok(created).get("run_id").asText();
  }

  private static long titled(String title) {
    return service
        .ok(service.get("/agent/runs?limit=100"))
        .get("runs")
        .findValuesAsText("title")
        .stream()
        .filter(title::equals)
        .count();
  }
}
