package dev.runnel.service.store;

import static dev.runnel.service.Probes.encoded;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.service.RunningService;
import dev.runnel.service.store.query.RunQuery;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Lists of runs whose prompts are long: a page is bounded by what it weighs, too.
@Tag("slow")
class LargePagesTest {
  private static final int RUNS = 60;
  private static final int PROMPT = 100_000;

  @TempDir static Path folder;
  private static RunningService service;
  private static List<String> created;

  @BeforeAll
  static void start() {
    service = RunningService.withCommand(folder, "exec sleep 300", 1);
    service.awaitState(service.create("takes the slot"), "INPROGRESS");
    created = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      created.add(service.create("é".repeat(PROMPT / 2)));
    }
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void pageOfLongPromptsIsShortenedAndContinuesAtItsCursor() {
    var seen = new ArrayList<String>();
    var cursor = "";
    do {
      var answer =
          service.get(
              "/agent/runs?state=QUEUED&sort_by=created_at&sort_order=asc&limit=500" + cursor);
      assertThat(bytes(answer.body())).isLessThan(RunQuery.MAX_BYTES + 100_000);
      var page = service.ok(answer);
      page.get("runs").forEach(run -> seen.add(run.get("run_id").asText()));
      cursor = "&cursor=" + encoded(page.at("/page_info/next_cursor").asText());
      assertThat(page.get("runs")).isNotEmpty();
      if (!page.at("/page_info/has_next_page").booleanValue()) {
        break;
      }
    } while (seen.size() < 2 * RUNS);

    assertThat(seen).isEqualTo(created);
  }

  @Test
  void oversizedRunIsASeparatePage() {
    var id = service.create("x".repeat(RunQuery.MAX_BYTES + 1));

    var page = service.ok(service.get("/agent/runs?limit=500&sort_by=created_at"));

    assertThat(page.get("runs")).hasSize(1);
    assertThat(page.at("/runs/0/run_id").asText()).isEqualTo(id);
    assertThat(page.at("/page_info/has_next_page").booleanValue()).isTrue();
    service.cancel(id);
  }

  @Test
  void promptIsNotSentTwiceInARun() {
    JsonNode run = service.run(created.getFirst());

    assertThat(run.get("prompt").asText()).hasSize(PROMPT / 2);
    assertThat(run.has("submitted_prompt")).isFalse();
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }
}
