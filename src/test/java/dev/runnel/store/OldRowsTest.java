package dev.runnel.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunState;
import dev.runnel.testkit.Samples;
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
}
