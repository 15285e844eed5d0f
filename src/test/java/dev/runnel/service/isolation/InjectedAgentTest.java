package dev.runnel.service.isolation;

import dev.runnel.testkit.Bubblewrapped;
import dev.runnel.testkit.ContainerRuntime;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

@Tag("slow")
class InjectedAgentTest {
  @Nested
  class InBubblewrap implements InjectedAgentContract {
    @BeforeEach
    void works() {
      Bubblewrapped.require();
    }

    @Override
    public Isolation isolation(Machine machine, Path bin) {
      return Isolations.choose("bubblewrap", machine);
    }
  }

  @Nested
  class InAContainer implements InjectedAgentContract {
    @Override
    public Isolation isolation(Machine machine, Path bin) throws IOException {
      return new Container(ContainerRuntime.install(bin), machine);
    }
  }
}
