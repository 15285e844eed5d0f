package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A file attached to a run.
///
/// @param downloadUrl signed URL: gives read access to anyone who has it
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HandoffAttachment(
    @JsonProperty("attachment_id") @Nullable String attachmentId,
    @JsonProperty("filename") @Nullable String filename,
    @JsonProperty("download_url") @Nullable String downloadUrl,
    @JsonProperty("mime_type") @Nullable String mimeType,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public HandoffAttachment {
    more = DefensiveCopies.map(more);
  }

  /// Leaves out the signed URL.
  @Override
  public String toString() {
    return "HandoffAttachment[attachmentId=%s, filename=%s]".formatted(attachmentId, filename);
  }
}
