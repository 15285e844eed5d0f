package dev.runnel.surface.github;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.SettableClock;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Who may start and steer runs.
class GitHubAccessCheckTest {
  private final MockWebServer github = MockServers.create();
  private TrackerSurface<?> surface;

  @BeforeEach
  void open() throws IOException {
    github.start();
    surface = surface(GitHubConfig.Access.WRITE);
  }

  @AfterEach
  void close() {
    github.close();
  }

  private TrackerSurface<?> surface(GitHubConfig.Access access) {
    return GitHub.surface(
        new GitHubConfig(
            List.of(Deliveries.SECRET),
            new GitHubIdentity.Token("a-token"),
            URI.create("http://127.0.0.1:" + github.getPort()),
            access,
            List.of(),
            Set.of(),
            Settings.of("agent", "agent")),
        new OkHttpClient(),
        new SettableClock());
  }

  /// `@agent fix it`, on an issue of `dana/shop`.
  private static RawRequest comment(String login, String type, String association) {
    return Deliveries.golden(
        "recorded-comment",
        body -> {
          var comment = (ObjectNode) body.path("comment");
          comment.put("body", "@agent fix it").put("author_association", association);
          for (var account : List.of(comment.path("user"), body.path("sender"))) {
            ((ObjectNode) account).put("login", login).put("type", type);
          }
        });
  }

  private void answers(int status, String body) {
    github.enqueue(new MockResponse.Builder().code(status).body(body).build());
  }

  private static String permission(String permission, String role) {
    return "{\"permission\": \"%s\", \"role_name\": \"%s\"}".formatted(permission, role);
  }

  /// Empty for what is not even accepted.
  private Optional<Admission> admission(RawRequest request) {
    return surface.receive(request) instanceof WebhookResult.Accepted(var delivery, _)
        ? Optional.of(surface.senders().admit(delivery))
        : Optional.empty();
  }

  /// @param association as the payload has it
  /// @param permission and role, as GitHub says when asked; `not asked` where it is not
  @ParameterizedTest(name = "{0} is heard: {5}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          the owner                      | dana           | User | OWNER                  | not asked       | true
          a member who is an admin       | ada            | User | MEMBER                 | admin admin     | true
          a member who may write         | ada            | User | MEMBER                 | write write     | true
          a member who may only read     | ada            | User | MEMBER                 | read read       | false
          a member whom it shows nothing | ada            | User | MEMBER                 | none none       | false
          a collaborator who maintains   | cora           | User | COLLABORATOR           | write maintain  | true
          a collaborator who administers | cora           | User | COLLABORATOR           | admin admin     | true
          a collaborator who writes      | cora           | User | COLLABORATOR           | write write     | true
          a collaborator who triages     | cora           | User | COLLABORATOR           | read triage     | false
          a collaborator who reads       | cora           | User | COLLABORATOR           | read read       | false
          a role of the organisation's   | cora           | User | COLLABORATOR           | write deployer  | true
          a member in private            | paula          | User | CONTRIBUTOR            | write write     | true
          who contributed once           | otto           | User | CONTRIBUTOR            | read read       | false
          an outsider                    | stranger       | User | NONE                   | not asked       | false
          a newcomer                     | newcomer       | User | FIRST_TIME_CONTRIBUTOR | not asked       | false
          a placeholder                  | imported       | User | MANNEQUIN              | not asked       | false
          a bot                          | helper[bot]    | Bot  | COLLABORATOR           | not asked       | false
          a person named like a bot      | helper[bot]    | User | COLLABORATOR           | read read       | false
          a deleted user                 | ghost          | User | CONTRIBUTOR            | not found       | false
          an organisation                | acme           | Organization | OWNER          | not asked       | false
          """)
  void commentIsAcceptedByTypeAssociationAndPermission(
      String who, String login, String type, String association, String permission, boolean heard)
      throws Exception {
    switch (permission) {
      case "not asked" -> {}
      case "not found" -> answers(404, "{\"message\": \"ghost is not a user\"}");
      default ->
          answers(
              200,
              permission(permission.replaceFirst(" .*", ""), permission.replaceFirst(".* ", "")));
    }

    var admission = admission(comment(login, type, association));

    assertThat(admission.filter(Admission.Admitted.class::isInstance).isPresent())
        .as(who)
        .isEqualTo(heard);
    assertThat(github.getRequestCount()).isEqualTo(permission.equals("not asked") ? 0 : 1);
  }

  @Test
  void accountNameIsEncodedInThePermissionRequest() throws Exception {
    answers(200, permission("write", "write"));

    assertThat(admission(comment("helper[bot]", "User", "MEMBER"))).contains(Admission.ADMITTED);
    assertThat(asked()).isEqualTo("/repos/dana/shop/collaborators/helper%5Bbot%5D/permission");
  }

  private String asked() throws InterruptedException {
    return Objects.requireNonNull(github.takeRequest(5, TimeUnit.SECONDS)).getTarget();
  }

  @ParameterizedTest
  @CsvSource({"READ, true", "TRIAGE, true", "WRITE, false", "ADMIN, false"})
  void minimumRoleIsConfigurable(GitHubConfig.Access least, boolean heard) {
    surface = surface(least);
    answers(200, permission("read", "triage"));

    assertThat(admission(comment("tara", "User", "MEMBER")).orElseThrow())
        .isInstanceOf(heard ? Admission.Admitted.class : Admission.Outsider.class);
  }

  @Test
  void permissionIsCheckedForTheLabelerNotTheIssueAuthor() throws Exception {
    answers(200, permission("read", "triage"));
    var labeled =
        Deliveries.golden(
            "recorded-labeled", body -> ((ObjectNode) body.path("sender")).put("login", "tara"));

    assertThat(admission(labeled).orElseThrow()).isInstanceOf(Admission.Outsider.class);
    assertThat(asked()).contains("/collaborators/tara/");
  }

  @ParameterizedTest
  @CsvSource({"write, true", "read, false", "none, false"})
  void closingAnIssueEndsTheRunOnlyWithWritePermission(String permission, boolean heard) {
    answers(200, permission(permission, permission));

    assertThat(admission(closedBy("author")).orElseThrow())
        .isInstanceOf(heard ? Admission.Admitted.class : Admission.Outsider.class);
  }

  @Test
  void anAppEndsARunByClosingTheIssue() {
    assertThat(admission(closedBy("stale[bot]"))).contains(Admission.ADMITTED);
    assertThat(github.getRequestCount()).isZero();
  }

  private RawRequest closedBy(String login) {
    return Deliveries.golden(
        "recorded-closed", body -> ((ObjectNode) body.path("sender")).put("login", login));
  }

  @ParameterizedTest
  @CsvSource({"MEMBER, true", "COLLABORATOR, true", "CONTRIBUTOR, false"})
  void associationDecidesIfTheTokenCannotReadPermissions(String association, boolean heard) {
    answers(403, "{\"message\": \"Must have push access\"}");
    answers(
        200,
        "{\"author_association\": \"%s\", \"user\": {\"login\": \"ada\", \"type\": \"User\"}}"
            .formatted(association));

    assertThat(admission(comment("ada", "User", association)).orElseThrow())
        .isInstanceOf(heard ? Admission.Admitted.class : Admission.Outsider.class);
  }

  @ParameterizedTest
  @CsvSource({
    "403, Retry-After, 33, 33",
    "429, Retry-After, 33, 33",
    "403, X-RateLimit-Reset, 1767603690, 90",
    "429, X-RateLimit-Reset, 1767603690, 90",
  })
  void deliveryWaitsForTheRateLimitOfGitHub(int status, String header, String value, int seconds) {
    github.enqueue(
        new MockResponse.Builder()
            .code(status)
            .addHeader(header, value)
            .addHeader("X-RateLimit-Remaining", "0")
            .build());

    assertThat(admission(comment("ada", "User", "MEMBER")).orElseThrow())
        .isInstanceOfSatisfying(
            Admission.Unknown.class,
            unknown -> assertThat(unknown.retryAfter()).contains(Duration.ofSeconds(seconds)));
  }

  @Test
  void deliveryWaitsWhileGitHubIsDown() {
    answers(502, "");

    assertThat(admission(comment("ada", "User", "MEMBER")).orElseThrow())
        .isInstanceOf(Admission.Unknown.class);
  }
}
