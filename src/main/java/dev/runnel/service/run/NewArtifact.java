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

/// An artifact that a run has produced and that is not stored yet.
///
/// @param type `PULL_REQUEST`, `PLAN` or `FILE`
/// @param identity the data member that identifies it within its type; an artifact with the same
///   value replaces the stored one
public record NewArtifact(String type, String identity, ObjectNode data) {
  private static final String UID = "artifact_uid";
  private static final String HANDED_OVER = "handed_over";
  private static final String WITHHELD = "withheld";
  private static final int MAX_PLAN = 16 * 1024;

  /// @param branch the branch that the run pushed for it; empty while that is not confirmed
  public static NewArtifact pullRequest(String url, String branch) {
    var data = ServiceJson.newObject().put("url", url).put("branch", branch);
    // This service does not observe the status of pull requests.
    data.put("status", PullRequestStatus.UNKNOWN.value());
    return new NewArtifact("PULL_REQUEST", "url", data);
  }

  /// Keeps what only the stored artifact contains: a pull request that is mentioned again keeps its
  /// branch, and so still belongs to the run.
  public NewArtifact mergedWith(ArtifactItem stored) {
    return stored instanceof ArtifactItem.PullRequest request
            && data.path("branch").asText().isEmpty()
        ? pullRequest(request.url(), Objects.requireNonNullElse(request.branch(), ""))
        : this;
  }

  /// The plan of an execution. An execution has at most one plan.
  public static NewArtifact plan(ExecutionRequest executionRequest, String text) {
    var uid = uid(executionRequest.runId() + " " + executionRequest.execution());
    var data = ServiceJson.newObject().put("document_uid", uid).put(UID, uid);
    // There are no notebooks here, but clients require the member.
    data.put("notebook_uid", uid);
    data.put(
        "title",
        executionRequest.execution() == 1 ? "Plan" : "Plan " + executionRequest.execution());
    data.put("content", text.length() <= MAX_PLAN ? text : text.substring(0, MAX_PLAN));
    return new NewArtifact("PLAN", "document_uid", data);
  }

  /// @param root the run's workspace
  /// @param folder the agent's working directory
  /// @return empty for a file outside the workspace
  public static Optional<NewArtifact> file(
      ExecutionRequest executionRequest, Path root, Path folder, String path) {
    try {
      var file = folder.resolve(path).normalize();
      if (!file.startsWith(root) || file.equals(root)) {
        return Optional.empty();
      }
      var relativePath = root.relativize(file).toString();
      var name = file.getFileName().toString();
      return Optional.of(
          new NewArtifact(
              "FILE",
              UID,
              ServiceJson.newObject()
                  .put(UID, uid(executionRequest.runId() + "/" + relativePath))
                  .put("filepath", relativePath)
                  .put("filename", name)
                  .put("mime_type", mimeType(name))
                  .put(HANDED_OVER, false)));
    } catch (InvalidPathException _) {
      return Optional.empty();
    }
  }

  /// A file that the agent hands over to people.
  ///
  /// @param root the run's workspace
  /// @param file in the workspace
  /// @param digest the SHA-256 of its content in hexadecimal
  /// @param withheld whether its content is not available, because it contains a secret
  public static NewArtifact handedOver(
      ExecutionRequest executionRequest,
      Path root,
      Path file,
      long size,
      String digest,
      boolean withheld) {
    var artifact = file(executionRequest, root, root, file.toString()).orElseThrow();
    artifact.data.put("size_bytes", size).put("sha256", digest).put(HANDED_OVER, true);
    if (withheld) {
      artifact.data.put(WITHHELD, true);
    }
    return artifact;
  }

  /// Whether the content of a stored artifact is withheld.
  public static boolean isWithheld(ArtifactItem item) {
    return item.json().path("data").path(WITHHELD).asBoolean();
  }

  /// Whether the agent handed it over. If not, it was found in the agent's output.
  public boolean isHandedOver() {
    return data.path(HANDED_OVER).asBoolean();
  }

  /// Whether a stored artifact is a file that the agent wrote but did not hand over.
  public static boolean isNotHandedOver(ArtifactItem item) {
    return item instanceof ArtifactItem.File
        && !item.json().path("data").path(HANDED_OVER).asBoolean();
  }

  /// The uid under which the content can be requested; empty if the content is stored elsewhere.
  public Optional<String> uid() {
    return Optional.ofNullable(data.path(UID).textValue());
  }

  /// Converts it to an artifact of the run.
  public ArtifactItem item(Instant createdAt) {
    var json =
        ServiceJson.newObject().put("artifact_type", type).put("created_at", createdAt.toString());
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
