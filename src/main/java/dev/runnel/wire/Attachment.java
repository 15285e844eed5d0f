package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An image attached to a prompt: jpeg, png, gif or webp.
///
/// @param data Base64
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Attachment(
    @JsonProperty("file_name") String fileName,
    @JsonProperty("mime_type") String mimeType,
    @JsonProperty("data") String data,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Attachment {
    Copies.requireText(fileName, "file_name");
    Copies.requireText(mimeType, "mime_type");
    Copies.requireText(data, "data");
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.fileName = fileName;
    builder.mimeType = mimeType;
    builder.data = data;
    builder.more.putAll(more);
    return builder;
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

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String fileName;
    private @Nullable String mimeType;
    private @Nullable String data;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder fileName(String fileName) {
      this.fileName = fileName;
      return this;
    }

    public Builder mimeType(String mimeType) {
      this.mimeType = mimeType;
      return this;
    }

    public Builder data(String data) {
      this.data = data;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    /// @throws IllegalStateException if a required value is missing
    public Attachment build() {
      if (fileName == null || fileName.isBlank()) {
        throw new IllegalStateException("An attachment needs its fileName");
      }
      if (mimeType == null || mimeType.isBlank()) {
        throw new IllegalStateException("An attachment needs its mimeType");
      }
      if (data == null || data.isBlank()) {
        throw new IllegalStateException("An attachment needs its data");
      }
      return new Attachment(fileName, mimeType, data, more);
    }
  }
}
