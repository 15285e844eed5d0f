package dev.runnel.testkit;

import static dev.runnel.testkit.Samples.NINE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.Sessions;
import dev.runnel.core.port.Sessions.Attempt;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
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
  default void endOfASessionLeavesOthersOpen() {
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
  default void sessionKeepsItsPersonAndNames() {
    var ann = new SignedInPerson("slack:T1/U1", "Ann", Set.of("slack:U1", "slack:members"));
    sessions().begin("anns", TEN, ann);
    sessions().begin("operators", TEN);

    assertThat(sessions().isOpen("anns", NINE)).isTrue();
    assertThat(sessions().person("anns", NINE)).contains(ann);
    assertThat(sessions().person("operators", NINE)).isEmpty();
    assertThat(sessions().person("anns", TEN)).isEmpty();
    assertThat(sessions().names(ann.id(), NINE)).isEqualTo(ann.names());
    assertThat(sessions().names(ann.id(), TEN)).isEmpty();
    assertThat(sessions().names("slack:T1/U2", NINE)).isEmpty();
    sessions().end("anns");
    assertThat(sessions().names(ann.id(), NINE)).isEmpty();
  }

  @Test
  default void signInAttemptIsUsableOnceUntilItExpires() {
    var attempt = new Attempt("slack", "b", "n", "v", "/runs");
    sessions().expect("state", attempt, TEN);
    sessions().expect("late", attempt, TEN);

    assertThat(sessions().take("other", NINE)).isEmpty();
    assertThat(sessions().take("state", NINE)).contains(attempt);
    assertThat(sessions().take("state", NINE)).isEmpty();
    assertThat(sessions().take("late", TEN)).isEmpty();
  }

  @Test
  default void aLinkToARunShowsThatRunUntilItExpires() {
    sessions().share("link", new RunId("run-1"), TEN);

    assertThat(sessions().shared("link", NINE)).contains(new RunId("run-1"));
    assertThat(sessions().shared("link", TEN)).isEmpty();
    assertThat(sessions().shared("other", NINE)).isEmpty();
    assertThat(sessions().isOpen("link", NINE)).isFalse();
    assertThat(sessions().redeem("link", NINE)).isFalse();
  }

  @Test
  default void endAllEndsEverySessionAndLink() {
    sessions().begin("one", TEN);
    sessions().offer("link", TEN);
    sessions().share("shared", new RunId("run-1"), TEN);
    sessions().expect("state", new Attempt("slack", "b", "n", "v", "/runs"), TEN);

    sessions().endAll();

    assertThat(sessions().shared("shared", NINE)).isEmpty();
    assertThat(sessions().take("state", NINE)).isEmpty();
    assertThat(sessions().isOpen("one", NINE)).isFalse();
    assertThat(sessions().redeem("link", NINE)).isFalse();
  }
}
