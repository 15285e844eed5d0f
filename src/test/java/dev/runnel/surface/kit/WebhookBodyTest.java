package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebhookBodyTest {
  private static final int FIVE_MEGABYTES = 5 * 1024 * 1024;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "payload=%7B%22a%22%3A+%22%C3%BC%22%7D      | {\"a\": \"ü\"}",
        "secret=1&payload=a%26b%3dc&payload=other   | a&b=c",
        "notpayload=1&payload=                      | ''",
        "secret=payload=x                           | ''",
        "payload=%7                                 | ''",
        "payload=%zz                                | ''",
        "payload=a%                                 | ''",
      })
  void formPayloadIsItsFirstPayloadField(String form, String payload) {
    assertThat(new String(WebhookBody.payload(form(form)), StandardCharsets.UTF_8))
        .isEqualTo(payload);
  }

  @Test
  void aLargeFormIsDecodedWithoutCopyingItManyTimes() {
    var manyFields = form("&".repeat(FIVE_MEGABYTES));
    var oneField = form("payload=" + "%20".repeat(FIVE_MEGABYTES / 3));
    allocatedBy(() -> WebhookBody.payload(form(""))); // What loading a class takes does not count.

    assertThat(allocatedBy(() -> WebhookBody.payload(manyFields))).isLessThan(FIVE_MEGABYTES);
    assertThat(allocatedBy(() -> WebhookBody.payload(oneField))).isLessThan(3 * FIVE_MEGABYTES);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"a\": 1, \"x\": {\"a\": 1}, \"b\": [{\"a\": null, \"x\": 2}, \"s\", [true]]} |"
            + " {\"a\":1,\"b\":[{\"a\":null},\"s\",[true]]}",
        "{\"x\": 1}                 | {}",
        "{}                         | {}",
        "{\"a\": {\"x\": 1}, \"b\": []} | {\"a\":{},\"b\":[]}",
        "{\"a\": {\"x\": [[}         |",
        "{\"x\": tru, \"a\": 1}      |",
        "{\"a\": [1                 |",
        "{\"a\":                    |",
        "{\"a\": 1                  |",
        "{\"a\": 1.5, \"b\": 12345678901234567890} | {\"a\":1.5,\"b\":12345678901234567890}",
        "{\"a\": 1} {}               |",
        "{\"a\": 1} !                |",
        "[{\"a\": 1}]                |",
        "''                         |",
      })
  void jsonKeepsOnlyTheNamedFields(String body, @Nullable String kept) {
    assertThat(read(body, Projection.named("a b"))).isEqualTo(Optional.ofNullable(kept));
  }

  private static Optional<String> read(String body, Projection projection) {
    try {
      return Optional.of(WebhookBody.json(json(body), projection).toString());
    } catch (RefusedJsonException _) {
      return Optional.empty();
    }
  }

  private static RawRequest json(String text) {
    return new RawRequest(
        "POST", "/", Map.of(), text.getBytes(StandardCharsets.UTF_8), Instant.EPOCH);
  }

  private static long allocatedBy(Runnable work) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    var before = threads.getCurrentThreadAllocatedBytes();
    work.run();
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static RawRequest form(String text) {
    return new RawRequest(
        "POST",
        "/",
        Map.of("content-type", "application/x-www-form-urlencoded"),
        text.getBytes(StandardCharsets.UTF_8),
        Instant.EPOCH);
  }
}
