package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
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
    inaccessibleRepos = Copies.list(inaccessibleRepos);
    more = Copies.map(more);
  }

  public static Builder builder() {
    return new Builder();
  }

  /// Returns a builder with the values of this record.
  public Builder toBuilder() {
    var builder = new Builder();
    builder.type = type;
    builder.title = title;
    builder.status = status;
    builder.error = error;
    builder.detail = detail;
    builder.instance = instance;
    builder.retryable = retryable;
    builder.traceId = traceId;
    builder.provider = provider;
    builder.authUrl = authUrl;
    builder.inaccessibleRepos = inaccessibleRepos;
    builder.integrationName = integrationName;
    builder.setupUrl = setupUrl;
    builder.more.putAll(more);
    return builder;
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

  /// Not thread-safe.
  public static final class Builder {
    private @Nullable String type;
    private @Nullable String title;
    private @Nullable Integer status;
    private @Nullable String error;
    private @Nullable String detail;
    private @Nullable String instance;
    private @Nullable Boolean retryable;
    private @Nullable String traceId;
    private @Nullable String provider;
    private @Nullable String authUrl;
    private @Nullable List<String> inaccessibleRepos;
    private @Nullable String integrationName;
    private @Nullable String setupUrl;
    private final Map<String, JsonNode> more = new LinkedHashMap<>();

    private Builder() {}

    public Builder type(String type) {
      this.type = type;
      return this;
    }

    public Builder title(String title) {
      this.title = title;
      return this;
    }

    public Builder status(Integer status) {
      this.status = status;
      return this;
    }

    public Builder error(String error) {
      this.error = error;
      return this;
    }

    public Builder detail(String detail) {
      this.detail = detail;
      return this;
    }

    public Builder instance(String instance) {
      this.instance = instance;
      return this;
    }

    public Builder retryable(Boolean retryable) {
      this.retryable = retryable;
      return this;
    }

    public Builder traceId(String traceId) {
      this.traceId = traceId;
      return this;
    }

    public Builder provider(String provider) {
      this.provider = provider;
      return this;
    }

    public Builder authUrl(String authUrl) {
      this.authUrl = authUrl;
      return this;
    }

    public Builder inaccessibleRepos(List<String> inaccessibleRepos) {
      this.inaccessibleRepos = inaccessibleRepos;
      return this;
    }

    public Builder integrationName(String integrationName) {
      this.integrationName = integrationName;
      return this;
    }

    public Builder setupUrl(String setupUrl) {
      this.setupUrl = setupUrl;
      return this;
    }

    /// Sets any other member; a JSON null is sent as null.
    public Builder member(String name, JsonNode value) {
      more.put(name, value);
      return this;
    }

    public Problem build() {
      return new Problem(
          type,
          title,
          status,
          error,
          detail,
          instance,
          retryable,
          traceId,
          provider,
          authUrl,
          Copies.list(inaccessibleRepos),
          integrationName,
          setupUrl,
          more);
    }
  }
}
