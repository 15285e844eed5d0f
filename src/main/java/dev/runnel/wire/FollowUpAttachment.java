package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A file that was uploaded beforehand.
///
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FollowUpAttachment(
    @JsonProperty("attachment_id") String attachmentId,
    @JsonProperty("file_name") @Nullable String fileName,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public FollowUpAttachment {
    DefensiveCopies.requireText(attachmentId, "attachment_id");
    more = DefensiveCopies.map(more);
  }

  public static FollowUpAttachment of(String attachmentId) {
    return new FollowUpAttachment(attachmentId, null, Map.of());
  }
}
