package dev.runnel.surface.gitea;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.testkit.Spoiled;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

@Tag("slow")
class StrangeGiteaPayloadsTest {
  private final GiteaTracker tracker = tracker();

  private static GiteaTracker tracker() {
    return new GiteaTracker(false);
  }

  @AfterEach
  void close() {
    tracker.close();
  }

  @TestFactory
  Stream<DynamicTest> aMemberThatIsMissingOrStrangeBreaksNothing() {
    return GiteaRequests.GOLDEN.names().stream().map(name -> dynamicTest(name, () -> spoil(name)));
  }

  private void spoil(String name) {
    var recorded = GiteaRequests.GOLDEN.read(name);
    var members =
        Spoiled.everyMember(
            recorded.body(),
            body -> {
              var bytes = body.toString().getBytes(StandardCharsets.UTF_8);
              var request = GiteaRequests.signed(recorded.headers(), bytes);
              assertThat(tracker.surface().receive(request).reply().status()).isIn(202, 204);
            });
    assertThat(members).isGreaterThan(15);
  }
}
