package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.SurfaceId;
import java.net.URI;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GitHubLinksTest {
  private static final SurfaceId GITHUB = new SurfaceId("github");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://github.com/acme/shop/issues/7",
        "https://GitHub.com/acme/shop/issues/7/",
        "https://github.com/acme/shop/pull/7/files"
      })
  void linkToAnIssueIdentifiesItsConversation(String link) {
    assertThat(shown(link, "https://api.github.com"))
        .contains(new LinkTarget(new Conversation(GITHUB, "acme/shop#7"), Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "issues/7#issuecomment-123, comment:123:created",
    "pull/7#issuecomment-123, comment:123:created",
    "pull/7#discussion_r123, line-comment:123:created",
    "pull/7/files#discussion_r123, line-comment:123:created",
    "pull/7#pullrequestreview-123, review:123:submitted",
  })
  void linkToACommentOrReviewIdentifiesIt(String path, String meaning) {
    assertThat(shown("https://git.acme.com/acme/shop/" + path, "https://git.acme.com/api/v3"))
        .contains(new LinkTarget(new Conversation(GITHUB, "acme/shop#7"), Optional.of(meaning)));
  }

  @ParameterizedTest
  @CsvSource({
    "https://github.com/acme/shop, https://api.github.com",
    "https://github.com/acme/shop/issues/new, https://api.github.com",
    "https://example.com/acme/shop/issues/7, https://api.github.com",
    "https://github.com/acme/shop/issues/7, https://git.acme.com/api/v3",
  })
  void otherLinksAreIgnored(String link, String api) {
    assertThat(shown(link, api)).isEmpty();
  }

  private static Optional<LinkTarget> shown(String link, String api) {
    return GitHubLinks.target(URI.create(link), GITHUB, URI.create(api));
  }
}
