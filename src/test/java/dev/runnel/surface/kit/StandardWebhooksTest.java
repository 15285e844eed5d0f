package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.RawRequest;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StandardWebhooksTest {
  private static final String KEY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
  private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

  @Test
  void signatureEqualsTheExampleOfTheSpecification() {
    assertThat(StandardWebhooks.sign(KEY, ID, "1614265330", BODY)).isEqualTo(SIGNATURE);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "300, true", "-300, true", "301, false", "-301, false"})
  void signatureIsValidForFiveMinutes(int secondsLater, boolean good) {
    assertThat(signed(SIGNATURE, BODY, secondsLater)).isEqualTo(good);
  }

  @Test
  void atMostEightSignaturesAreChecked() {
    var wrong = "v1,AAAA ";

    assertThat(signed(wrong.repeat(7) + SIGNATURE, BODY, 0)).isTrue();
    assertThat(signed(wrong.repeat(8) + SIGNATURE, BODY, 0)).isFalse();
  }

  @Test
  void manySignaturesOnALargeBodyCostOneHmac() {
    var one = cost("v1,AAAA");

    // One for each of the signatures that count would take eight times as long.
    assertThat(cost("v1,AAAA ".repeat(3_500))).isLessThan(one.multipliedBy(4));
  }

  /// The processor time for a body of 5 MB, without what else the machine did.
  private static Duration cost(String signatures) {
    var threads = ManagementFactory.getThreadMXBean();
    var body = new byte[5 * 1024 * 1024];
    var least = Long.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      var before = threads.getCurrentThreadCpuTime();
      assertThat(signed(signatures, body, 0)).isFalse();
      least = Math.min(least, threads.getCurrentThreadCpuTime() - before);
    }
    return Duration.ofNanos(least);
  }

  private static boolean signed(String signatures, byte[] body, int secondsLater) {
    var headers =
        Map.of(
            "webhook-id", ID, "webhook-timestamp", "1614265330", "webhook-signature", signatures);
    var arrived = Instant.ofEpochSecond(1614265330 + secondsLater);
    return new StandardWebhooks(List.of(KEY))
        .signed(new RawRequest("POST", "/", headers, body, arrived));
  }
}
