package dev.runnel.core;

import static dev.runnel.testkit.Samples.OTHER_THREAD;
import static dev.runnel.testkit.Samples.THREAD;
import static dev.runnel.testkit.Samples.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.decide.PublicWork;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.testkit.World;
import java.net.URI;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What was said in private does not reach work that everybody can read.
class PublicWorkJourneyTest {
  private static final Background SAID =
      new Background(
          "Slack thread",
          Optional.empty(),
          "",
          List.of(),
          Optional.empty(),
          List.of(new Background.Message("Ann", Instant.EPOCH, "we are selling to Initech")),
          0);

  private static final PublicWork UNKNOWN = new PublicWork(Set.of("website"), Optional.empty());
  private static final PublicWork INTERNAL =
      new PublicWork(Set.of("website"), Optional.of("internal"));

  @TempDir Path folder;
  private World world;

  @BeforeEach
  void open() {
    world = new World(folder);
    world.dispatches(DispatchOptions.DEFAULT.withPublicWork(INTERNAL));
    world.surface.hasBackground(THREAD, SAID);
    world.surface.hasBackground(OTHER_THREAD, SAID);
  }

  @AfterEach
  void close() {
    world.close();
  }

  private static Delivery asked(Optional<String> environment) {
    var request = new Request("fix the logo", options(environment, Optional.empty()));
    return delivery("1", new Intent.Start(request))
        .withOrigin(
            new Origin(
                Optional.of(URI.create("https://acme.slack.com/archives/C1/p1")),
                Optional.empty(),
                Optional.empty(),
                false));
  }

  private Prompt promptOf(Delivery delivery) {
    world.says(delivery);
    world.settle();
    return world.runs.starts().getLast().prompt();
  }

  @Test
  void privateContextIsWithheldFromPublicWorkAndANoticeIsPosted() {
    world.surface.isPrivate();

    var prompt = promptOf(asked(Optional.of("website")));

    assertThat(prompt.text()).isEqualTo("fix the logo");
    assertThat(prompt.base().orElseThrow())
        .contains("The request was made in a private conversation")
        .contains("Asked by dana")
        .doesNotContain("acme.slack.com");
    assertThat(world.surface.told(THREAD))
        .anyMatch(text -> text.startsWith("This conversation is private"));
  }

  @Test
  void privateContextIsPassedToWorkThatIsNotPublic() {
    world.surface.isPrivate();

    var prompt = promptOf(asked(Optional.empty()));

    assertThat(prompt.text()).contains("we are selling to Initech");
    assertThat(prompt.base().orElseThrow()).contains("acme.slack.com").doesNotContain("private");
  }

  @Test
  void publicContextIsPassedToPublicWork() {
    assertThat(promptOf(asked(Optional.of("website"))).text())
        .contains("we are selling to Initech");
  }

  @Test
  void noNoticeIsPostedIfThereWasNoPrivateContextToWithhold() {
    world.surface.isPrivate();
    world.surface.hasBackground(THREAD, Background.NONE);

    var prompt = promptOf(asked(Optional.of("website")));

    assertThat(prompt.base().orElseThrow()).contains("in a private conversation");
    assertThat(world.surface.told(THREAD)).isEmpty();
  }

  @Test
  void noticeIsPostedIfThePrivateContextCannotBeRead() {
    world.surface.isPrivate();
    world.surface.backgroundIsDown(true);

    var prompt = promptOf(asked(Optional.of("website")));

    assertThat(prompt.text()).isEqualTo("fix the logo");
    assertThat(world.surface.told(THREAD))
        .anyMatch(text -> text.startsWith("This conversation is private"));
  }

  @Test
  void retryFromElsewhereUsesOnlyTheContextOfTheThreadOfTheRun() {
    world.surface.hasBackground(THREAD, SAID);
    world.surface.hasBackground(
        OTHER_THREAD,
        SAID.withMessages(List.of(new Background.Message("Bo", Instant.EPOCH, "in public"))));
    world.says(delivery("1", new Intent.Start(Request.of("fix the logo")), OTHER_THREAD));
    world.settle();
    var run = world.runs.runs().getLast().id();
    world.runs.fails(run, "broken", true);
    world.settle();

    var prompt = promptOf(delivery("2", new Intent.Retry(Optional.of(run))));

    assertThat(world.runs.starts()).hasSize(2);
    assertThat(prompt.text()).contains("in public").doesNotContain("Initech");
  }

  @Test
  void workWithAnUnknownEnvironmentCountsAsPublic() {
    assertThat(UNKNOWN.includes(RunOptions.NONE)).isTrue();
    assertThat(UNKNOWN.includes(options(Optional.of(" "), Optional.empty()))).isTrue();
    assertThat(INTERNAL.includes(options(Optional.of(" "), Optional.empty()))).isFalse();
    assertThat(PublicWork.NONE.includes(RunOptions.NONE)).isFalse();
    assertThat(PublicWork.NONE.includes(options(Optional.empty(), Optional.of("shop")))).isFalse();
  }

  @Test
  void factoryWorkCountsAsPublicInEveryEnvironment() {
    assertThat(INTERNAL.includes(options(Optional.empty(), Optional.of("shop")))).isTrue();
    assertThat(INTERNAL.includes(options(Optional.of("internal"), Optional.of("shop")))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"website", "Website", "WEBSITE", " website "})
  void publicEnvironmentNameIgnoresCase(String name) {
    assertThat(INTERNAL.includes(options(Optional.of(name), Optional.empty()))).isTrue();
    assertThat(
            new PublicWork(Set.of(name), Optional.of("Website"))
                .includes(options(Optional.of("webSite"), Optional.empty())))
        .isTrue();
    assertThat(new PublicWork(Set.of(name), Optional.of("Website")).includes(RunOptions.NONE))
        .isTrue();
  }

  private static RunOptions options(Optional<String> environment, Optional<String> factory) {
    var none = Optional.<String>empty();
    return new RunOptions(none, environment, none, none, none, none, factory);
  }
}
