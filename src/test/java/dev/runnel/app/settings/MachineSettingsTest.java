package dev.runnel.app.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.service.store.SlotLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineSettingsTest {
  @TempDir Path folder;

  private List<Path> readable(String command, String readable) {
    var variables = Map.of("RUNNEL_AGENT_COMMAND", command, "RUNNEL_AGENTS_READABLE", readable);
    return Config.of(Settings.read(variables, Optional.empty(), Map.of()))
        .machine(Map.of(), folder)
        .readable();
  }

  @Test
  void theSlotsOfOnePersonAreANumberOrUnlimited() {
    assertThat(limits(Map.of())).isEqualTo(SlotLimits.DEFAULT);
    assertThat(limits(Map.of("RUNNEL_AGENT_SLOTS_PER_PERSON", "off"))).isEqualTo(SlotLimits.NONE);
    assertThat(limits(Map.of("RUNNEL_AGENT_SLOTS_PER_PERSON", "2")).perPerson()).hasValue(2);
    assertThatThrownBy(() -> limits(Map.of("RUNNEL_AGENT_SLOTS_PER_PERSON", "0")))
        .hasMessageContaining("RUNNEL_AGENT_SLOTS_PER_PERSON");
  }

  private static SlotLimits limits(Map<String, String> variables) {
    return Config.of(Settings.read(variables, Optional.empty(), Map.of())).agentSlotLimits();
  }

  @Test
  void isolatedAgentsMayReadTheScriptThatTheirCommandNames() throws IOException {
    var script = Files.writeString(folder.resolve("agent.sh"), "echo done");

    assertThat(readable("FLAGS=-x sh '%s' --fast; cat /nowhere".formatted(script), "/srv/models"))
        .containsExactly(Path.of("/srv/models"), script);
  }

  @Test
  void aProgramOfTheSystemInACommandIsReadableAnyway() {
    assertThat(readable("/bin/sh -c /usr/bin/awk", "/srv/models"))
        .containsExactly(Path.of("/srv/models"));
  }

  @Test
  void aFolderInACommandIsNotMadeReadable() {
    assertThat(readable("ls " + folder, "/srv/models")).containsExactly(Path.of("/srv/models"));
  }
}
