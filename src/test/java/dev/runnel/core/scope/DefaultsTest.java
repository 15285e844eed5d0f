package dev.runnel.core.scope;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.SAM;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.port.Store.Preferences.Preference;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefaultsTest {
  private static final Conversation THREAD =
      new Conversation(new SurfaceId("slack"), "T1/C1/1700000000.000100");
  private static final Conversation ISSUE =
      new Conversation(new SurfaceId("github"), "acme/shop#7");

  @Nested
  class AnEnvironment {
    private final Defaults known =
        new Defaults(
            Map.of(),
            Set.of(),
            Routes.NONE,
            new EnvironmentIds(Map.of("Web shop", "web"), Optional.of("usual")));

    @Test
    void environmentDisplayNameIsResolvedToItsId() {
      var said = RunOptions.NONE.withEnvironment(Optional.of("Web shop"));

      assertThat(resolve(known, THREAD, said).request().options().environment()).contains("web");
    }

    @Test
    void defaultEnvironmentIsUsedIfNoneIsChosen() {
      assertThat(resolve(known, THREAD, RunOptions.NONE).request().options().environment())
          .contains("usual");
    }

    @Test
    void environmentIsNotSetForAFactory() {
      var said = RunOptions.NONE.withFactory(Optional.of("triage"));

      assertThat(resolve(known, THREAD, said).request().options().environment()).isEmpty();
    }
  }

  @Nested
  class TheNearestWins {
    private final Defaults all =
        new Defaults(
            Map.of(
                "everywhere", Map.of("model", "m-all", "env", "e-all", "skill", "s-all"),
                "slack", Map.of("model", "m-slack", "env", "e-slack"),
                "slack:T1", Map.of("model", "m-team"),
                "slack:T2", Map.of("model", "m-other"),
                "github:acme/shop", Map.of("model", "m-shop", "prompt", "Be brief.")),
            Set.of());

    @Test
    void nearestConfiguredDefaultWins() {
      var options = resolve(all, THREAD, said()).request().options();

      assertThat(options.model()).contains("m-team");
      assertThat(options.environment()).contains("e-slack");
      assertThat(options.skill()).contains("s-all");
    }

    @Test
    void nearestDefaultAlsoWinsForARepository() {
      var resolved = resolve(all, ISSUE, said());

      assertThat(resolved.request().options().model()).contains("m-shop");
      assertThat(resolved.basePrompt()).contains("Be brief.");
      assertThat(resolved.chosen().get("model"))
          .isEqualTo(new Defaults.Chosen("m-shop", "in the configuration, for `github:acme/shop`"));
    }

    @Test
    void defaultSetByPeopleOverridesTheConfigurationOfThePlace() {
      assertThat(model(resolve(all, THREAD, said(), set("slack:T1", "m-set")))).contains("m-set");
    }

    @Test
    void personalDefaultOverridesChannelAndWorkspace() {
      var me = set("slack:@U1", "m-me");
      var channel = set("slack:T1/C1", "m-channel");
      var workspace = set("slack:T1", "m-workspace");

      assertThat(model(resolve(all, THREAD, said(), workspace, channel))).contains("m-channel");
      assertThat(model(resolve(all, THREAD, said(), workspace, channel, me))).contains("m-me");
      assertThat(resolve(all, THREAD, said(), channel).chosen())
          .containsEntry("model", new Defaults.Chosen("m-channel", "set here"));
    }

    @Test
    void optionInTheRequestOverridesAllDefaults() {
      var said = new RunOptionsBuilder().model("m-said").build();

      assertThat(model(resolve(all, THREAD, said, set("slack:@U1", "m-me")))).contains("m-said");
    }
  }

  @Nested
  class AProfile {
    private final Profiles profiles =
        new Profiles(Map.of("web", new RunOptionsBuilder().model("m-web").build()));

    @Test
    void profileInTheRequestOverridesTheDefaultsOfThePlace() {
      var resolved =
          new Defaults(Map.of("slack", Map.of("model", "m-slack", "env", "e")), Set.of())
              .resolve(
                  new Request("fix it", new RunOptionsBuilder().profile("web").build()),
                  THREAD,
                  DANA,
                  List.of(),
                  profiles);

      assertThat(model(resolved)).contains("m-web");
      assertThat(resolved.request().options().environment()).contains("e");
      assertThat(resolved.request().options().name()).contains("web");
      assertThat(resolved.chosen())
          .containsEntry("model", new Defaults.Chosen("m-web", "from the profile web"));
    }

    @Test
    void nearerValueOverridesTheProfileOfABroaderPlace() {
      var resolved =
          new Defaults(
                  Map.of("slack", Map.of("profile", "web"), "slack:T1", Map.of("model", "m-team")),
                  Set.of())
              .resolve(Request.of("fix it"), THREAD, DANA, List.of(), profiles);

      assertThat(model(resolved)).contains("m-team");
      assertThat(resolved.request().options().profile()).contains("web");
    }

    @Test
    void unknownProfileIsReportedByName() {
      var said = new Request("fix it", new RunOptionsBuilder().profile("wbe").build());

      assertThat(Defaults.NONE.resolve(said, THREAD, DANA, List.of(), profiles).unknownProfile())
          .contains("wbe");
    }
  }

  @Nested
  class MaySet {
    private final Defaults withAdmins = new Defaults(Map.of(), Set.of("slack:U2"));

    @Test
    void everyoneCanSetTheirOwnDefaults() {
      assertThat(withAdmins.maySet(Level.ME, THREAD, DANA)).isTrue();
    }

    @Test
    void channelMembersCanSetItsDefaultsIfThereIsNoAdmin() {
      assertThat(Defaults.NONE.maySet(Level.HERE, THREAD, DANA)).isTrue();
      assertThat(withAdmins.maySet(Level.HERE, THREAD, DANA)).isFalse();
      assertThat(withAdmins.maySet(Level.HERE, THREAD, SAM)).isTrue();
    }

    @Test
    void onlyAdminsOfThePlatformCanSetWorkspaceDefaults() {
      assertThat(Defaults.NONE.maySet(Level.WORKSPACE, THREAD, DANA)).isFalse();
      assertThat(withAdmins.maySet(Level.WORKSPACE, THREAD, SAM)).isTrue();
      assertThat(withAdmins.maySet(Level.WORKSPACE, ISSUE, SAM)).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "slack,  T1/C1/17.1,        slack:T1/C1,             slack:T1",
    "slack,  T1/C1/~x,          slack:T1/C1,             slack:T1",
    "github, acme/shop#7,       github:acme/shop,        github:acme",
    "gitlab, acme/web/shop!7,   gitlab:acme/web/shop,    gitlab:acme",
    "azure,  Web Shop#12,       azure:Web Shop,          azure:Web Shop",
    "jira,   SHOP-12,           jira:SHOP,               jira:SHOP",
    "linear, 5d1f-12,           linear,                  linear",
    "console, runs/1,           console:runs,            console:runs",
  })
  void conversationBelongsToItsPlaceWorkspaceAndPlatform(
      String surface, String key, String here, String workspace) {
    var conversation = new Conversation(new SurfaceId(surface), key);

    assertThat(ConversationScope.here(conversation)).isEqualTo(here);
    assertThat(ConversationScope.workspace(conversation)).isEqualTo(workspace);
    assertThat(ConversationScope.enclosing(conversation)).contains(workspace).endsWith(surface);
    assertThat(ConversationScope.isIn(conversation, here)).isTrue();
  }

  @Test
  void placeNameWithTheSamePrefixDoesNotMatch() {
    assertThat(ConversationScope.isIn(ISSUE, "github:acme/sho")).isFalse();
    assertThat(ConversationScope.isIn(ISSUE, "github:acme")).isTrue();
  }

  private static RunOptions said() {
    return RunOptions.NONE;
  }

  private static Preference set(String place, String model) {
    return new Preference(place, "model", model, "U9", NINE);
  }

  private static Defaults.Resolved resolve(
      Defaults defaults, Conversation where, RunOptions said, Preference... set) {
    return defaults.resolve(new Request("fix it", said), where, DANA, List.of(set), Profiles.NONE);
  }

  private static Optional<String> model(Defaults.Resolved resolved) {
    return resolved.request().options().model();
  }

  /// Options of which a test names one or two.
  private static final class RunOptionsBuilder {
    private Optional<String> profile = Optional.empty();
    private Optional<String> model = Optional.empty();

    RunOptionsBuilder profile(String name) {
      profile = Optional.of(name);
      return this;
    }

    RunOptionsBuilder model(String name) {
      model = Optional.of(name);
      return this;
    }

    RunOptions build() {
      var none = RunOptions.NONE;
      return new RunOptions(
          profile,
          none.environment(),
          model,
          none.skill(),
          none.name(),
          none.title(),
          none.factory());
    }
  }
}
