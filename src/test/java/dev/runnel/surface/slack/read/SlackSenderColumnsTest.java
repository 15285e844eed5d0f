package dev.runnel.surface.slack.read;

import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.testkit.SendersContract;
import dev.runnel.testkit.SettableClock;
import java.util.Set;

class SlackSenderColumnsTest implements SendersContract {
  private static final String NOT_ACCEPTED = " not accepted";

  @Override
  public String platform() {
    return "slack";
  }

  @Override
  public String column(String says) {
    try (var slack = new ScriptedSlack()) {
      slack.says(
          "users.info",
          "{'ok':true,'user':{'id':'U0ANN',%s}}".formatted(says.replace(NOT_ACCEPTED, "")));
      var config = slack.config();
      try (var surface =
          SlackSurfaces.of(
              says.endsWith(NOT_ACCEPTED) ? accepting(config, "T0OTHER") : config,
              new SettableClock())) {
        return SendersContract.column(surface, SlackRequests.golden("app-mention"));
      }
    }
  }

  private static SlackConfig accepting(SlackConfig config, String team) {
    return new SlackConfig(
        config.signingSecrets(),
        config.appToken(),
        config.botToken(),
        config.client(),
        config.apiUrl(),
        config.behavior(),
        config.prompts(),
        Set.of(team));
  }
}
