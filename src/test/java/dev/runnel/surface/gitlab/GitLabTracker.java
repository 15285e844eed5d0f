package dev.runnel.surface.gitlab;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.surface.kit.StandardWebhooks;
import dev.runnel.surface.tracker.Settings;
import dev.runnel.surface.tracker.TrackerSurface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import dev.runnel.testkit.TrackerContract.Person;
import dev.runnel.testkit.TrackerContract.Tracker;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import okhttp3.OkHttpClient;

final class GitLabTracker implements Tracker {
  private final FakeGitLab platform = new FakeGitLab();
  private final TrackerSurface<?> surface = surface(GitLabRequests.SIGNING_TOKEN);

  GitLabTracker() {
    surface.start();
  }

  TrackerSurface<?> surface(String... secrets) {
    return GitLab.surface(
        new GitLabConfig(
            List.of(secrets),
            "a-token",
            platform.address(),
            GitLabConfig.Access.DEVELOPER,
            Settings.withStateLabels()),
        new OkHttpClient(),
        new SettableClock());
  }

  @Override
  public TrackerSurface<?> surface() {
    return surface;
  }

  @Override
  public FakeGitLab platform() {
    return platform;
  }

  private static RawRequest relabelled(List<String> before, List<String> after) {
    return GitLabRequests.golden(
        "issue-labeled",
        body -> {
          var labels = ((ObjectNode) body.path("changes")).putObject("labels");
          fill(labels.putArray("previous"), "title", before);
          fill(labels.putArray("current"), "title", after);
          fill(body.putArray("labels"), "title", after);
        });
  }

  private static void fill(ArrayNode list, String member, List<String> texts) {
    texts.forEach(text -> list.addObject().put(member, text));
  }

  @Override
  public RawRequest labelAdded(String label, String... others) {
    var after = new ArrayList<>(Arrays.asList(others));
    after.add(label);
    return relabelled(List.of(others), after);
  }

  @Override
  public RawRequest labelRemoved(String label, String... staying) {
    var before = new ArrayList<>(Arrays.asList(staying));
    before.add(label);
    return relabelled(before, List.of(staying));
  }

  @Override
  public RawRequest edited(String... labels) {
    return GitLabRequests.golden(
        "issue-edited", body -> fill(body.putArray("labels"), "title", List.of(labels)));
  }

  @Override
  public RawRequest assigned(String account) {
    return reassigned(List.of(), List.of(account));
  }

  @Override
  public RawRequest unassigned(String account) {
    return reassigned(List.of(account), List.of());
  }

  private static RawRequest reassigned(List<String> before, List<String> after) {
    return GitLabRequests.golden(
        "issue-assigned",
        body -> {
          var assignees = ((ObjectNode) body.path("changes")).putObject("assignees");
          fill(assignees.putArray("previous"), "username", before);
          fill(assignees.putArray("current"), "username", after);
        });
  }

  @Override
  public RawRequest closedBy(Person person) {
    return GitLabRequests.golden("issue-closed", body -> as(body, person));
  }

  /// GitLab sends nothing when an issue is deleted.
  @Override
  public Optional<RawRequest> deleted() {
    return Optional.empty();
  }

  @Override
  public RawRequest commented(Person by, String text) {
    return GitLabRequests.golden("issue-note", body -> say(body, by, text));
  }

  private static void say(ObjectNode body, Person by, String text) {
    ((ObjectNode) body.path("object_attributes")).put("note", text);
    as(body, by);
  }

  private static void as(ObjectNode body, Person person) {
    ((ObjectNode) body.path("user"))
        .put(
            "username",
            switch (person) {
              case MAINTAINER -> "dana";
              case STRANGER -> "lee";
              case BOT -> "project_bot";
            });
  }

  @Override
  public RawRequest commentEdited(String text) {
    return GitLabRequests.golden("issue-note-edited", body -> say(body, Person.MAINTAINER, text));
  }

  @Override
  public RawRequest labelAddedTo(int issue) {
    return GitLabRequests.golden(
        "issue-labeled",
        body -> ((ObjectNode) body.path("object_attributes")).put("iid", issue).put("id", issue));
  }

  @Override
  public RawRequest commentOn(int issue, long id) {
    return GitLabRequests.golden(
        "issue-note",
        body -> {
          ((ObjectNode) body.path("issue")).put("iid", issue);
          ((ObjectNode) body.path("object_attributes")).put("id", id);
        });
  }

  @Override
  public RawRequest saidAgain(RawRequest request) {
    return GitLabRequests.with(request, "idempotency-key", "another");
  }

  @Override
  public List<RawRequest> notProved(RawRequest request) {
    var signature = StandardWebhooks.SIGNATURE;
    var late = String.valueOf(Samples.NINE.getEpochSecond() - 301);
    return List.of(
        GitLabRequests.with(request, signature, ""),
        GitLabRequests.with(request, signature, "v1,"),
        GitLabRequests.with(request, signature, "v1," + "A".repeat(43) + "="),
        GitLabRequests.with(request, StandardWebhooks.ID, "another"),
        GitLabRequests.with(
            GitLabRequests.with(request, StandardWebhooks.TIMESTAMP, late),
            signature,
            StandardWebhooks.sign(
                GitLabRequests.SIGNING_TOKEN,
                request.header(StandardWebhooks.ID).orElseThrow(),
                late,
                request.body())),
        GitLabRequests.withHeaders(
            request, Map.of("x-gitlab-event", "Issue Hook", "x-gitlab-token", "")));
  }

  @Override
  public RawRequest proved(byte[] body) {
    return GitLabRequests.signed(
        Map.of("x-gitlab-event", "Issue Hook", "idempotency-key", "d1"), body);
  }
}
