package dev.runnel.surface.github;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.testkit.Samples;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/// Updates and notices for tests.
final class Updates {
  static final Conversation ISSUE = new Conversation(new SurfaceId("github"), "dana/shop#1");
  static final Actor DANA = new Actor("dana", "dana");
  static final Request REQUEST = Request.of("Work on this issue: Checkout fails");
  static final Instant SINCE = Instant.parse("2026-01-05T08:56:40Z");
  static final Instant NOW = Instant.parse("2026-01-05T09:00:00Z");
  static final Update TOLD = new Update.Message(DANA, "There is no run here to stop.", true);

  private Updates() {}

  static Run run(RunState state, String message) {
    return Samples.run(
        new RunId("run-1"),
        "Fix the checkout",
        state,
        state.name(),
        Optional.of(message).filter(text -> !text.isEmpty()),
        false,
        Optional.of(URI.create("https://runs.example/sessions/1")),
        List.of(
            new Artifact(
                "Pull request (fix-checkout)",
                URI.create("https://github.example/dana/shop/pull/2"),
                true)),
        Optional.of("0.42 USD"),
        Optional.of(Duration.ofSeconds(190)),
        Optional.of(NOW),
        Optional.empty());
  }

  static Update.Status status(RunState state, String message) {
    return new Update.Status(run(state, message), DANA, REQUEST, SINCE, NOW);
  }

  static Update.Succeeded succeeded(String answer) {
    return new Update.Succeeded(run(RunState.SUCCEEDED, answer), DANA, SINCE, NOW);
  }

  static Binding binding(RunState state, int number) {
    return Samples.binding(
        new Conversation(ISSUE.surface(), "dana/shop#" + number),
        run(state, ""),
        DANA,
        REQUEST,
        new Origin(
            Optional.of(URI.create("https://github.example/dana/shop/issues/" + number)),
            Optional.empty(),
            Optional.empty(),
            false),
        Optional.empty(),
        SINCE,
        false,
        1);
  }

  static Notice notice(Update update) {
    return notice(update, 0);
  }

  static Notice notice(Update update, int tries) {
    return new Notice(new NoticeId("notice-1"), ISSUE, update, Origin.NONE, NOW, tries);
  }
}
