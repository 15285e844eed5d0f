package dev.runnel.service.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.PullRequestStatus;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/// Something a run made, on its way to its artifacts.
///
/// @param type `PULL_REQUEST`, `PLAN` or `FILE`
/// @param identity the member of the data that tells it from others of its type; the same again
///     replaces it
public record NewArtifact(String type, String identity, ObjectNode data) {
  private static final String UID = "artifact_uid";
  private static final int MAX_PLAN = 16 * 1024;

  /// @param branch what the run pushed for it; empty while nobody knows that it did
  public static NewArtifact pullRequest(String url, String branch) {
    var data = Json.newObject().put("url", url).put("branch", branch);
    // Nobody tells this service what became of it.
    data.put("status", PullRequestStatus.UNKNOWN.value());
    return new NewArtifact("PULL_REQUEST", "url", data);
  }

  /// The same as it is known already, where this knows less: a pull request that is mentioned again
  /// is still the run's.
  public NewArtifact beside(ArtifactItem known) {
    return known instanceof ArtifactItem.PullRequest request
            && data.path("branch").asText().isEmpty()
        ? pullRequest(request.url(), Objects.requireNonNullElse(request.branch(), ""))
        : this;
  }

  /// The plan of an execution, which has one at a time.
  public static NewArtifact plan(ExecutionRequest executionRequest, String text) {
    var uid = uid(executionRequest.runId() + " " + executionRequest.execution());
    var data = Json.newObject().put("document_uid", uid).put(UID, uid);
    data.put(
        "title",
        executionRequest.execution() == 1 ? "Plan" : "Plan " + executionRequest.execution());
    data.put("content", text.length() <= MAX_PLAN ? text : text.substring(0, MAX_PLAN));
    return new NewArtifact("PLAN", "document_uid", data);
  }

  /// @param root of the run's workspace
  /// @param folder in which the agent works
  /// @return empty for a file outside the workspace, which is nothing the run keeps
  public static Optional<NewArtifact> file(
      ExecutionRequest executionRequest, Path root, Path folder, String path) {
    try {
      var file = folder.resolve(path).normalize();
      if (!file.startsWith(root) || file.equals(root)) {
        return Optional.empty();
      }
      var inside = root.relativize(file).toString();
      var name = file.getFileName().toString();
      return Optional.of(
          new NewArtifact(
              "FILE",
              UID,
              Json.newObject()
                  .put(UID, uid(executionRequest.runId() + "/" + inside))
                  .put("filepath", inside)
                  .put("filename", name)
                  .put("mime_type", mimeType(name))));
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }

  /// By which its content can be asked for; empty for what is elsewhere.
  public Optional<String> uid() {
    return Optional.ofNullable(data.path(UID).textValue());
  }

  /// As an artifact of the run.
  public ArtifactItem item(Instant createdAt) {
    var json = Json.newObject().put("artifact_type", type).put("created_at", createdAt.toString());
    json.set("data", data);
    return ArtifactItem.of(json);
  }

  public boolean isSame(ArtifactItem item) {
    return type.equals(item.type().value())
        && data.path(identity).equals(item.json().path("data").path(identity));
  }

  private static String mimeType(String name) {
    return Objects.requireNonNullElse(
        URLConnection.guessContentTypeFromName(name), "application/octet-stream");
  }

  private static String uid(String name) {
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }
}
