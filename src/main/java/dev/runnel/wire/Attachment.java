package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.Map;

/// An image attached to a prompt: jpeg, png, gif or webp.
///
/// @param data Base64
/// @param more members unknown to this version, unchanged
@GenerateBuilder
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Attachment(
    @JsonProperty("file_name") String fileName,
    @JsonProperty("mime_type") String mimeType,
    @JsonProperty("data") String data,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Attachment {
    DefensiveCopies.requireText(fileName, "file_name");
    DefensiveCopies.requireText(mimeType, "mime_type");
    DefensiveCopies.requireText(data, "data");
    more = DefensiveCopies.map(more);
  }

  public static AttachmentBuilder builder() {
    return AttachmentBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public AttachmentBuilder toBuilder() {
    return AttachmentBuilder.builder(this);
  }

  /// @param bytes the image, not encoded
  public static Attachment of(String fileName, String mimeType, byte[] bytes) {
    return new Attachment(fileName, mimeType, Base64.getEncoder().encodeToString(bytes), Map.of());
  }

  /// Leaves out the data.
  @Override
  public String toString() {
    return "Attachment[fileName=%s, mimeType=%s]".formatted(fileName, mimeType);
  }
}
