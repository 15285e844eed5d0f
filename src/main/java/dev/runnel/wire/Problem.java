package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// An error in the format of RFC 7807 (the API's `Error`).
///
/// @param type a URI whose last segment is the error code
/// @param error the title and, if present, the detail; for old clients
/// @param instance the path of the request
/// @param retryable whether retrying the request can help
/// @param provider the provider whose account is not linked
/// @param authUrl the page where a person links that account
/// @param setupUrl the page where a person sets up the missing integration
/// @param more members unknown to this version, unchanged
@GenerateBuilder
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
    @JsonProperty("provider") @Nullable String provider,
    @JsonProperty("auth_url") @Nullable String authUrl,
    @JsonProperty("inaccessible_repos") @JsonInclude(JsonInclude.Include.NON_EMPTY)
        List<String> inaccessibleRepos,
    @JsonProperty("integration_name") @Nullable String integrationName,
    @JsonProperty("setup_url") @Nullable String setupUrl,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public Problem {
    inaccessibleRepos = DefensiveCopies.list(inaccessibleRepos);
    more = DefensiveCopies.map(more);
  }

  public static ProblemBuilder builder() {
    return ProblemBuilder.builder();
  }

  /// Returns a builder with the values of this record.
  public ProblemBuilder toBuilder() {
    return ProblemBuilder.builder(this);
  }

  /// The last segment of the type, with underscores. Accepts all three spellings in use; empty text
  /// if there is none.
  @JsonIgnore
  public ErrorCode code() {
    if (type == null) {
      return new ErrorCode("");
    }
    // A loop, because a regular expression for trailing slashes is slow on a text of only slashes.
    var end = firstOf(type, '?', firstOf(type, '#', type.length()));
    while (end > 0 && type.charAt(end - 1) == '/') {
      end--;
    }
    var start = type.lastIndexOf('/', end - 1) + 1;
    return new ErrorCode(type.substring(start, end).replace('-', '_'));
  }

  private static int firstOf(String text, char mark, int otherwise) {
    var at = text.indexOf(mark);
    return at < 0 ? otherwise : Math.min(at, otherwise);
  }
}
