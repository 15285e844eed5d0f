package dev.runnel.service.execution;

import dev.runnel.testkit.FakeModel;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/// The real coding agents, as people install them, driven through the service's own API.
@Tag("slow")
class RealAgentsTest {
  @Nested
  class Claude implements RealAgentContract {
    @Override
    public RealAgent agent(FakeModel model) {
      return RealAgent.claude(model);
    }

    @Override
    public boolean acceptsMessages() {
      return true;
    }
  }

  @Nested
  class Codex implements RealAgentContract {
    @Override
    public RealAgent agent(FakeModel model) {
      return RealAgent.codex(model);
    }

    @Override
    public boolean acceptsMessages() {
      return true;
    }
  }

  @Nested
  class Gemini implements RealAgentContract {
    @Override
    public RealAgent agent(FakeModel model) {
      return RealAgent.gemini(model);
    }
  }

  @Nested
  class Opencode implements RealAgentContract {
    @Override
    public RealAgent agent(FakeModel model) {
      return RealAgent.opencode(model);
    }

    @Override
    public boolean tellsWhatItIsDoing() {
      return false;
    }
  }
}
