package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The data of an artifact: the content of a plan, or the URL of a screenshot or file.
///
/// @param downloadUrl signed URL: gives read access to anyone who has it
/// @param expiresAt when the URL expires
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ArtifactData(
    @JsonProperty("content") @Nullable String content,
    @JsonProperty("content_type") @Nullable String contentType,
    @JsonProperty("download_url") @Nullable String downloadUrl,
    @JsonProperty("expires_at") @Nullable Instant expiresAt,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("description") @Nullable String description,
    @JsonProperty("filename") @Nullable String filename,
    @JsonProperty("filepath") @Nullable String filepath,
    @JsonProperty("size_bytes") @Nullable Long sizeBytes,
    @JsonProperty("document_uid") @Nullable String documentUid,
    @JsonProperty("notebook_uid") @Nullable String notebookUid,
    @JsonProperty("url") @Nullable String url,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public ArtifactData {
    more = DefensiveCopies.map(more);
  }

  /// Leaves out the content and the signed URL.
  @Override
  public String toString() {
    return "ArtifactData[contentType=%s, filename=%s]".formatted(contentType, filename);
  }
}
