package dev.runnel.core;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.InfoCard.Row;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.policy.Rule;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.EnvironmentIds;
import dev.runnel.core.scope.Route;
import dev.runnel.core.scope.Routes;
import dev.runnel.testkit.World;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Rules that choose the options of a run by what its request is about.
class RoutesJourneyTest {
  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.surface.hasManners(
        new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true));
  }

  @AfterEach
  void close() {
    world.close();
  }

  private static Route route(
      List<String> words, List<String> labels, List<String> places, String environment) {
    return new Route(words, labels, places, Map.of(Defaults.ENVIRONMENT, environment));
  }

  private static Route words(String words, String environment) {
    return route(List.of(words), List.of(), List.of(), environment);
  }

  private void routes(Route... rules) {
    world.defaultsTo(
        new Defaults(
            Map.of(Defaults.EVERYWHERE, Map.of("env", "usual")),
            Set.of(),
            new Routes(List.of(rules)),
            EnvironmentIds.UNKNOWN));
  }

  private Optional<String> environmentOf(Intent intent) {
    return environmentOf(intent, Snapshot.NONE);
  }

  private Optional<String> environmentOf(Intent intent, Snapshot about) {
    world.says(delivery("1", intent).withSnapshot(about));
    world.settle();
    return world.runs.starts().getLast().prompt().options().environment();
  }

  private static Snapshot issue(String title, String body, String... labels) {
    return new Snapshot(Optional.of(NINE), Optional.of(title), Optional.of(body))
        .withLabels(List.of(labels));
  }

  @Test
  void theFirstRuleThatAppliesDecides() {
    routes(words("gift card", "cards"), words("checkout", "shop"), words("fix", "other"));

    assertThat(environmentOf(start("Fix the Checkout, please"))).contains("shop");
  }

  @Test
  void routeKeywordsMatchOnlyWholeWords() {
    routes(words("check", "wrong"), words("gift card", "cards"));

    assertThat(environmentOf(start("check_out and checkout and GIFT\n  card"))).contains("cards");
  }

  @Test
  void defaultsApplyIfNoRouteMatches() {
    routes(words("checkout", "shop"), route(List.of(), List.of(), List.of("slack"), "chat"));

    assertThat(environmentOf(start("fix the login"))).contains("usual");
  }

  @Test
  void optionOfTheRequestOverridesTheRoute() {
    routes(words("checkout", "shop"));
    var said =
        new RunOptions(
            Optional.empty(),
            Optional.of("mine"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty());

    assertThat(environmentOf(new Intent.Start(new Request("fix the checkout", said))))
        .contains("mine");
  }

  @Test
  void routeAppliesOnlyIfItsPlaceAndLabelBothMatch() {
    routes(
        route(List.of(), List.of("Backend"), List.of("fake:other"), "wrong"),
        route(List.of(), List.of("Backend"), List.of("fake:team"), "back"));

    assertThat(environmentOf(start("Do it."), issue("Slow", "", "bug", "backend")))
        .contains("back");
  }

  @Test
  void theTitleOfAnIssueCountsButNotItsDescriptionWhichStrangersWrite() {
    routes(words("secrets", "wrong"), words("payments", "money"));

    assertThat(environmentOf(start("Do it."), issue("Payments fail", "Use the secrets.")))
        .contains("money");
  }

  @Test
  void aProfileOfARuleIsResolved() {
    world.defaultsTo(
        new Defaults(
            Map.of(),
            Set.of(),
            new Routes(
                List.of(
                    new Route(
                        List.of("page"), List.of(), List.of(), Map.of(Defaults.PROFILE, "web")))),
            EnvironmentIds.UNKNOWN));

    assertThat(environmentOf(start("mend the page"))).contains("web-env");
  }

  @Test
  void retryKeepsTheRouteChosenByTheIssueLabels() {
    routes(route(List.of(), List.of("backend"), List.of(), "back"));
    environmentOf(start("Do it."), issue("Slow", "", "backend"));
    world.runs.moves(world.onlyRun().id(), RunState.FAILED, "No.");
    world.passes(Duration.ofSeconds(5));

    world.says(delivery("2", new Intent.Retry(Optional.empty())));
    world.settle();

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(world.runs.starts().getLast().prompt().options().environment()).contains("back");
  }

  @Test
  void explainShowsTheRuleAndStartsNothing() {
    routes(words("login", "other"), words("checkout", "shop"));

    world.says(
        delivery(
            "1", new Intent.Ask(new Question.Explain(Request.of("fix the checkout"))), THREAD));
    world.settle();

    assertThat(world.runs.runs()).isEmpty();
    assertThat(
            world.surface.posts().stream()
                .map(post -> post.update())
                .flatMap(
                    update ->
                        update instanceof Update.Answered(_, var card)
                            ? card.rows().stream()
                            : Stream.<Row>empty())
                .map(Row::toString))
        .anyMatch(row -> row.contains("shop") && row.contains("rule 2") && row.contains("checkout"))
        .noneMatch(row -> row.contains("usual"));
  }

  @Test
  void thePolicyDecidesAboutTheEnvironmentThatARuleChooses() {
    routes(words("checkout", "prod"));
    world.obeys(
        new Policy(
            Map.of(),
            List.of(
                new Rule(
                    "policy.rules[0]",
                    List.of("fake:" + DANA.id()),
                    List.of("any"),
                    EnumSet.allOf(Permission.class),
                    true,
                    Set.of("usual"),
                    Set.of())),
            List.of(),
            List.of()));

    world.says(delivery("1", start("fix the checkout")));
    world.says(delivery("2", say("fix the login"), OTHER_THREAD));
    world.settle();

    assertThat(world.runs.starts())
        .extracting(it -> it.prompt().options().environment())
        .containsExactly(Optional.of("usual"));
  }
}
