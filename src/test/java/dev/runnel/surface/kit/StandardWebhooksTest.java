package dev.runnel.surface.kit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.RawRequest;
import java.nio.charset.StandardCharsets;
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
  void theSpecificationsExampleIsSignedAsThere() {
    assertThat(StandardWebhooks.sign(KEY, ID, "1614265330", BODY)).isEqualTo(SIGNATURE);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "300, true", "-300, true", "301, false", "-301, false"})
  void itIsGoodForFiveMinutes(int secondsLater, boolean good) {
    var request =
        new RawRequest(
            "POST",
            "/",
            Map.of(
                "webhook-id",
                ID,
                "webhook-timestamp",
                "1614265330",
                "webhook-signature",
                SIGNATURE),
            BODY,
            Instant.ofEpochSecond(1614265330 + secondsLater));

    assertThat(new StandardWebhooks(List.of(KEY)).signed(request)).isEqualTo(good);
  }
}
