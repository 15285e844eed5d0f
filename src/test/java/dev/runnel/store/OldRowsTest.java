package dev.runnel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunState;
import dev.runnel.core.model.Snapshot;
import dev.runnel.testkit.Samples;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/// Rows that earlier versions wrote.
class OldRowsTest {
  @Test
  void aRunOfWhichNobodyWroteDownWhereItWorksIsRead() {
    var written = Json.write(Samples.run("r1", RunState.RUNNING));
    var old = written.replaceAll(",\"(?:environment|model)\":null", "");
    assertThat(old).isNotEqualTo(written).doesNotContain("environment", "model");

    assertThat(Json.read(old, Run.class)).isEqualTo(Samples.run("r1", RunState.RUNNING));
  }

  @Test
  void aDeliveryOfWhichNobodyWroteDownHowItsIssueWasIsRead() {
    var plain = Samples.delivery("1", Samples.say("fix it"));
    var now =
        plain.about(
            new Snapshot(Optional.of(Samples.NINE), Optional.of("Title"), Optional.of("Body")));
    assertThat(Json.read(Json.write(now), Delivery.class)).isEqualTo(now);

    var old = Json.write(plain).replaceAll(",\"snapshot\":\\{[^}]*}", "");
    assertThat(old).doesNotContain("snapshot");
    assertThat(Json.read(old, Delivery.class)).isEqualTo(plain);
  }
}
