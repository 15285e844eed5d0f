package dev.runnel.testkit;

import static dev.runnel.testkit.Samples.NINE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.port.Sessions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// What every [Sessions] does. Its clock stands at nine.
public interface SessionsContract {
  Instant TEN = NINE.plus(Duration.ofHours(1));

  Sessions sessions();

  @Test
  default void aSessionIsOpenUntilItExpires() {
    sessions().begin("secret", TEN);

    assertThat(sessions().isOpen("secret", NINE)).isTrue();
    assertThat(sessions().isOpen("Secret", NINE)).isFalse();
    assertThat(sessions().isOpen("secret", TEN)).isFalse();
  }

  @Test
  default void aSessionThatWasEndedIsOpenNoMoreAndOthersAre() {
    sessions().begin("one", TEN);
    sessions().begin("two", TEN);

    sessions().end("one");
    sessions().end("unknown");

    assertThat(sessions().isOpen("one", NINE)).isFalse();
    assertThat(sessions().isOpen("two", NINE)).isTrue();
  }

  @Test
  default void aLinkWorksOnceAndUntilItExpires() {
    sessions().offer("link", TEN);
    sessions().offer("late", TEN);

    assertThat(sessions().redeem("other", NINE)).isFalse();
    assertThat(sessions().redeem("link", NINE)).isTrue();
    assertThat(sessions().redeem("link", NINE)).isFalse();
    assertThat(sessions().redeem("late", TEN)).isFalse();
    assertThat(sessions().isOpen("link", NINE)).isFalse();
  }

  @Test
  default void whoEndsAllLeavesNoSessionAndNoLink() {
    sessions().begin("one", TEN);
    sessions().offer("link", TEN);

    sessions().endAll();

    assertThat(sessions().isOpen("one", NINE)).isFalse();
    assertThat(sessions().redeem("link", NINE)).isFalse();
  }
}
