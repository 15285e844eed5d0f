package dev.runnel.core;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.prompt.Prompts;
import dev.runnel.core.scope.Defaults;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/// The prompt that a delivery gives, for tests that are not of this package.
public final class Composed {
  private Composed() {}

  public static String prompt(Delivery delivery, Background background, RandomGenerator chance) {
    var request = delivery.intent().agentRequest().orElse(Request.of(""));
    return Prompts.compose(
            delivery,
            new Defaults.Resolved(request, Optional.empty(), Map.of(), Optional.empty()),
            background,
            List.of(),
            Optional.empty(),
            false,
            chance)
        .text();
  }
}
