package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// An error as RFC 7807 writes it (the interface's `Error`).
///
/// @param type a URI whose last segment is the error code
/// @param error the title, with the detail where there is one, for old clients
/// @param retryable whether repeating the request can help
/// @param authUrl where a person links the account that is missing
/// @param setupUrl where a person sets up the integration that is missing
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Problem(
    @JsonProperty("type") @Nullable String type,
    @JsonProperty("title") @Nullable String title,
    @JsonProperty("status") @Nullable Integer status,
    @JsonProperty("error") @Nullable String error,
    @JsonProperty("detail") @Nullable String detail,
    @JsonProperty("instance") @Nullable String instance,
    @JsonProperty("retryable") @Nullable Boolean retryable,
    @JsonProperty("trace_id") @Nullable String traceId,
    @JsonProperty("auth_url") @Nullable String authUrl,
    @JsonProperty("setup_url") @Nullable String setupUrl) {
  /// The error code: the type's last segment, with underscores. Reads all three spellings in use;
  /// empty where there is none.
  @JsonIgnore
  public String code() {
    if (type == null) {
      return "";
    }
    var path = type.replaceAll("/+$", "");
    return path.substring(path.lastIndexOf('/') + 1).replace('-', '_');
  }
}
