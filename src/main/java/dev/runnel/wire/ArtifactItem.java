package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/// An artifact of a run, with the subtype given by its `artifact_type`. An artifact of unknown
/// type, or without the member that its type requires, is [Unknown].
///
/// Each keeps the original JSON and is serialized as that.
public sealed interface ArtifactItem {
  /// The original JSON: `artifact_type`, `created_at`, `data`.
  @JsonValue
  JsonNode json();

  default ArtifactType type() {
    return new ArtifactType(json().path("artifact_type").asText(""));
  }

  /// Null if absent.
  default @Nullable Instant createdAt() {
    var text = json().path("created_at").textValue();
    try {
      return text == null ? null : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException malformed) {
      return null;
    }
  }

  /// A plan document.
  record Plan(
      @Nullable String documentUid,
      @Nullable String artifactUid,
      @Nullable String notebookUid,
      @Nullable String url,
      @Nullable String title,
      JsonNode json)
      implements ArtifactItem {}

  /// A pull request.
  ///
  /// @param status unknown if not reported
  record PullRequest(String url, @Nullable String branch, PullRequestStatus status, JsonNode json)
      implements ArtifactItem {
    /// Creates a pull request from its URL.
    public static PullRequest of(String url, @Nullable String branch, Instant createdAt) {
      var json = JsonNodeFactory.instance.objectNode();
      json.put("artifact_type", ArtifactType.PULL_REQUEST.value());
      json.put("created_at", createdAt.toString());
      var data = json.putObject("data").put("url", url);
      if (branch != null) {
        data.put("branch", branch);
      }
      data.put("status", PullRequestStatus.UNKNOWN.value());
      return new PullRequest(url, branch, PullRequestStatus.UNKNOWN, json);
    }
  }

  /// A screenshot; its content is available by its uid.
  record Screenshot(
      String artifactUid, @Nullable String mimeType, @Nullable String description, JsonNode json)
      implements ArtifactItem {}

  /// A file; its content is available by its uid.
  ///
  /// @param sizeBytes -1 if absent
  record File(
      String artifactUid,
      @Nullable String filepath,
      @Nullable String filename,
      @Nullable String mimeType,
      @Nullable String description,
      long sizeBytes,
      @Nullable String title,
      JsonNode json)
      implements ArtifactItem {}

  /// A reference to an external resource.
  ///
  /// @param metadata an object of any shape; a missing node if absent
  record ExternalReference(
      String url,
      @Nullable String referenceType,
      @Nullable String title,
      JsonNode metadata,
      JsonNode json)
      implements ArtifactItem {}

  /// An artifact that this version does not know.
  record Unknown(JsonNode json) implements ArtifactItem {}

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  static ArtifactItem of(JsonNode json) {
    var data = json.path("data");
    var url = text(data, "url");
    var uid = text(data, "artifact_uid");
    var title = text(data, "title");
    var description = text(data, "description");
    var type = json.path("artifact_type").asText("");
    if (type.equals("PLAN")) {
      return new Plan(
          text(data, "document_uid"), uid, text(data, "notebook_uid"), url, title, json);
    }
    if (type.equals("PULL_REQUEST") && url != null) {
      var status = text(data, "status");
      return new PullRequest(
          url,
          text(data, "branch"),
          status == null ? PullRequestStatus.UNKNOWN : new PullRequestStatus(status),
          json);
    }
    if (type.equals("SCREENSHOT") && uid != null) {
      return new Screenshot(uid, text(data, "mime_type"), description, json);
    }
    if (type.equals("FILE") && uid != null) {
      return new File(
          uid,
          text(data, "filepath"),
          text(data, "filename"),
          text(data, "mime_type"),
          description,
          data.path("size_bytes").asLong(-1),
          title,
          json);
    }
    if (type.equals("EXTERNAL_REFERENCE") && url != null) {
      return new ExternalReference(
          url, text(data, "reference_type"), title, data.path("metadata"), json);
    }
    return new Unknown(json);
  }

  private static @Nullable String text(JsonNode data, String member) {
    return data.path(member).textValue();
  }
}
