package dev.runnel.surface.azure;

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
class StrangeAzurePayloadsTest {
  private final AzureTracker tracker = tracker();

  private static AzureTracker tracker() {
    return new AzureTracker();
  }

  @AfterEach
  void close() {
    tracker.close();
  }

  @TestFactory
  Stream<DynamicTest> aMemberThatIsMissingOrStrangeBreaksNothing() {
    return AzureRequests.GOLDEN.names().stream().map(name -> dynamicTest(name, () -> spoil(name)));
  }

  private void spoil(String name) {
    var recorded = AzureRequests.GOLDEN.read(name);
    var members =
        Spoiled.everyMember(
            recorded.body(),
            body -> {
              var bytes = body.toString().getBytes(StandardCharsets.UTF_8);
              var request = AzureRequests.proved(recorded.headers(), bytes);
              assertThat(tracker.surface().receive(request).reply().status()).isIn(202, 204);
            });
    assertThat(members).isGreaterThan(15);
  }
}
