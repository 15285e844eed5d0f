package dev.runnel.surface.linear;

import dev.runnel.testkit.ParserSpeed;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class HiddenMarkerSpeedTest {
  @Test
  void markersAreFoundInLinearTime() throws Exception {
    ParserSpeed.assertLinear(HiddenMarker::show);
    ParserSpeed.assertLinear(HiddenMarker::hide);
  }
}
