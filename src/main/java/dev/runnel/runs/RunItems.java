package dev.runnel.runs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.PullRequestState;
import dev.runnel.core.model.run.Replies;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.PullRequestStatus;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.StatusMessage;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Converts wire runs to core runs. Missing or malformed parts are left out: a run with a bad link
/// is still a run.
final class RunItems {
  /// Metadata key of the id of the delivery that started a run.
  static final String DELIVERY = "runnel.delivery";

  private static final String UNKNOWN_TYPE = "application/octet-stream";

  private static final String PENDING = "pending_followups";
  private static final String UNREAD = "unread_followups";

  // https://github.com/acme/shop/pull/7, https://gitlab.com/acme/shop/-/merge_requests/7
  private static final Pattern PULL_REQUEST =
      Pattern.compile(
          "^/(?<repository>.+?)(?:/-)?/(?<kind>pull|pulls|merge_requests|pull-requests)"
              + "/(?<number>\\d+)(?:/.*)?$");

  /// Model ids with which the service chooses the model, so that they do not identify it.
  private static final Set<String> AUTOMATIC_MODELS = Set.of("default", "auto");

  private RunItems() {}

  static Run run(RunItem item) {
    var status = Optional.ofNullable(item.statusMessage());
    var state = RunStates.of(item.state());
    var config = Optional.ofNullable(item.agentConfig());
    var message = status.map(StatusMessage::message).filter(it -> !it.isBlank());
    return new Run(
        new RunId(item.runId()),
        Objects.requireNonNullElse(item.title(), ""),
        state,
        item.state().value(),
        state == RunState.FAILED ? failure(item, status, message) : message,
        status.map(StatusMessage::retryable).orElse(false),
        status.map(StatusMessage::errorCode).filter(ErrorCode.BUDGET_EXCEEDED::equals).isPresent(),
        link(item.sessionLink()),
        item.artifacts().stream().flatMap(it -> artifact(it).stream()).toList(),
        Costs.total(item.requestUsage() == null ? null : item.requestUsage().json()),
        duration(item.runTime()),
        Optional.ofNullable(item.updatedAt()),
        delivery(item),
        config.map(AgentConfig::environmentId).filter(it -> !it.isBlank()),
        config
            .map(AgentConfig::modelId)
            .filter(it -> !it.isBlank() && !AUTOMATIC_MODELS.contains(it)),
        replies(item),
        item.artifacts().stream().flatMap(it -> file(it).stream()).toList(),
        Optional.ofNullable(item.more().get("evidence"))
            .filter(JsonNode::isObject)
            .map(RunItems::evidence),
        parent(item));
  }

  static Optional<RunId> parent(RunItem item) {
    return Optional.ofNullable(item.parentRunId()).filter(it -> !it.isBlank()).map(RunId::new);
  }

  private static Evidence evidence(JsonNode json) {
    return new Evidence(
        Math.max(0, json.path("files_changed").asInt()),
        Math.max(0, json.path("commits").asInt()),
        Optional.of(json.path("tests"))
            .filter(JsonNode::isArray)
            .map(tests -> tests.valueStream().map(RunItems::testRun).toList()),
        Stream.of(Evidence.Mismatch.values())
            .filter(it -> it.name().equalsIgnoreCase(json.path("mismatch").asText()))
            .findFirst());
  }

  private static Evidence.TestRun testRun(JsonNode json) {
    return new Evidence.TestRun(
        json.path("command").asText(),
        Optional.of(json.path("exit_code")).filter(JsonNode::isInt).map(JsonNode::asInt));
  }

  /// A file that the agent handed over; empty for other artifacts, such as files of the workspace.
  private static Optional<RunFile> file(ArtifactItem item) {
    var data = item.json().path("data");
    return switch (item) {
      case ArtifactItem.Screenshot shot ->
          Optional.of(
              new RunFile(
                  shot.artifactUid(),
                  "screenshot" + ending(shot.mimeType()),
                  Objects.requireNonNullElse(shot.mimeType(), UNKNOWN_TYPE),
                  0,
                  "",
                  false));
      case ArtifactItem.File file when data.path("handed_over").asBoolean(true) ->
          Optional.of(
              new RunFile(
                  file.artifactUid(),
                  text(file.filename()).orElse("file"),
                  Objects.requireNonNullElse(file.mimeType(), UNKNOWN_TYPE),
                  Math.max(0, file.sizeBytes()),
                  data.path("sha256").asText(""),
                  data.path("withheld").asBoolean()));
      case ArtifactItem.File _,
          ArtifactItem.Plan _,
          ArtifactItem.PullRequest _,
          ArtifactItem.ExternalReference _,
          ArtifactItem.Unknown _ ->
          Optional.empty();
    };
  }

  private static String ending(@Nullable String type) {
    return switch (Objects.requireNonNullElse(type, "")) {
      case "image/png" -> ".png";
      case "image/jpeg" -> ".jpg";
      case "image/gif" -> ".gif";
      case "image/webp" -> ".webp";
      default -> "";
    };
  }

  /// Follow-ups that no agent has received; only the embedded service reports them.
  private static Optional<Replies> replies(RunItem item) {
    return item.more().containsKey(PENDING) && item.more().containsKey(UNREAD)
        ? Optional.of(new Replies(deliveries(item, PENDING), deliveries(item, UNREAD)))
        : Optional.empty();
  }

  private static Set<DeliveryId> deliveries(RunItem item, String member) {
    var deliveries = new HashSet<DeliveryId>();
    for (var followUp : item.more().getOrDefault(member, MissingNode.getInstance())) {
      var key = followUp.path("idempotency_key").asText("");
      if (!key.isBlank() && key.length() <= DeliveryId.MAX_LENGTH) {
        deliveries.add(new DeliveryId(key));
      }
    }
    return deliveries;
  }

  /// The embedded service names the category. Texts of other services may be internal.
  private static Optional<String> failure(
      RunItem item, Optional<StatusMessage> status, Optional<String> message) {
    var category = item.more().getOrDefault("error_category", MissingNode.getInstance()).asText();
    return message
        .filter(text -> isForPeople(category, text))
        .or(
            () ->
                ErrorTexts.failed(
                    status.map(StatusMessage::errorCode).map(ErrorCode::value).orElse(""),
                    message));
  }

  /// A failed setup shows the output of a command.
  private static boolean isForPeople(String category, String message) {
    return switch (category) {
      case "agent", "budget" -> true;
      case "setup" -> !InternalTextFilter.revealsNetwork(message);
      default -> false;
    };
  }

  static Optional<DeliveryId> delivery(RunItem item) {
    return Optional.ofNullable(item.metadata().get(DELIVERY))
        .or(() -> FactoryStarts.ticket(item.metadata()))
        .filter(id -> !id.isBlank() && id.length() <= DeliveryId.MAX_LENGTH)
        .map(DeliveryId::new);
  }

  /// A link that people can open; empty for anything but http and https.
  static Optional<URI> link(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      var uri = new URI(text);
      var isWeb =
          "https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme());
      return isWeb && uri.getHost() != null ? Optional.of(uri) : Optional.empty();
    } catch (URISyntaxException malformed) {
      return Optional.empty();
    }
  }

  private static Optional<Artifact> artifact(ArtifactItem item) {
    return switch (item) {
      case ArtifactItem.PullRequest request ->
          link(request.url())
              .map(
                  link ->
                      new Artifact(
                          pullRequest(request, link),
                          link,
                          true,
                          text(request.branch()),
                          state(request.status())));
      case ArtifactItem.Plan plan ->
          link(plan.url())
              .map(
                  link ->
                      new Artifact(
                          text(plan.title()).map(it -> "Plan (" + it + ")").orElse("Plan"),
                          link,
                          false));
      case ArtifactItem.ExternalReference reference ->
          link(reference.url())
              .map(
                  link ->
                      new Artifact(
                          text(reference.title())
                              .or(() -> text(reference.referenceType()))
                              .orElse("Link"),
                          link,
                          false));
      case ArtifactItem.Screenshot _, ArtifactItem.File _, ArtifactItem.Unknown _ ->
          Optional.empty();
    };
  }

  private static Optional<PullRequestState> state(PullRequestStatus status) {
    return Stream.of(PullRequestState.values())
        .filter(each -> each.word().equals(status.value()))
        .findFirst();
  }

  private static String pullRequest(ArtifactItem.PullRequest request, URI link) {
    var branch = text(request.branch()).map(it -> " (" + it + ")").orElse("");
    var parts = PULL_REQUEST.matcher(Objects.requireNonNullElse(link.getPath(), ""));
    if (!parts.matches()) {
      return "Pull request" + branch;
    }
    var sign = parts.group("kind").equals("merge_requests") ? "!" : "#";
    return parts.group("repository") + sign + parts.group("number") + branch;
  }

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(it -> !it.isBlank());
  }

  private static Optional<Duration> duration(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Duration.parse(text)).filter(time -> !time.isNegative());
    } catch (DateTimeParseException malformed) {
      return Optional.empty();
    }
  }
}
