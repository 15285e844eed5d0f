package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPlace;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlackLinksTest {
  private static final Conversation ASKED =
      SlackPlace.outsideThreads("T1", "C9", "x").conversation();

  @Test
  void aLinkToAMessageShowsItsThreadAndItself() {
    assertThat(shown("https://acme.slack.com/archives/C1/p1700000000000100"))
        .contains(
            new LinkTarget(
                new Conversation(SlackPlace.SURFACE, "T1/C1/1700000000.000100"),
                Optional.of("message:T1/C1/1700000000.000100")));
  }

  @Test
  void aLinkToAReplyShowsTheThreadItIsIn() {
    assertThat(
            shown(
                "https://acme.slack.com/archives/C1/p1700000001000200?thread_ts=1700000000.000100&cid=C1"))
        .contains(
            new LinkTarget(
                new Conversation(SlackPlace.SURFACE, "T1/C1/1700000000.000100"),
                Optional.of("message:T1/C1/1700000001.000200")));
  }

  @Test
  void linkFromAnotherPlatformBelongsToOurWorkspace() {
    var link = URI.create("https://acme.slack.com/archives/C1/p1700000000000100");
    var issue = new Conversation(new SurfaceId("github"), "acme/shop#7");
    var identity = new SlackIdentity("T2", "U2", "B2", "runnel", Optional.empty());

    assertThat(SlackLinks.shown(link, issue, Optional.of(identity)))
        .map(it -> it.conversation().key())
        .contains("T2/C1/1700000000.000100");
    assertThat(SlackLinks.shown(link, issue, Optional.empty())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://example.com/archives/C1/p1700000000000100",
        "https://evil-slack.com/archives/C1/p1700000000000100",
        "https://acme.slack.com/archives/C1",
        "https://acme.slack.com/archives/C1/p17",
        "https://acme.slack.com/archives/../p1700000000000100",
        "mailto:a@acme.slack.com",
      })
  void otherLinksAreIgnored(String link) {
    assertThat(shown(link)).isEmpty();
  }

  private static Optional<LinkTarget> shown(String link) {
    return SlackLinks.shown(URI.create(link), ASKED, Optional.empty());
  }
}
