package dev.runnel.store;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class AcceptanceTest {
  @Test
  @Timeout(value = 10, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anErrorRefusesItsDeliveriesAndTheNextAreTaken() {
    var broken = new AtomicBoolean(true);
    try (var acceptance =
        new Acceptance(
            deliveries -> {
              if (broken.getAndSet(false)) {
                throw new StackOverflowError("too deep");
              }
              return List.of(true);
            })) {
      assertThatThrownBy(() -> acceptance.accept(delivery("1", say("a"))))
          .hasRootCauseMessage("too deep");
      assertThat(acceptance.accept(delivery("1", say("a")))).isTrue();
    }
  }
}
