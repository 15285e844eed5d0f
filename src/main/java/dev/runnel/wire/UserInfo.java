package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A person or a service account (the API's `RunCreatorInfo`).
///
/// @param type `user` or `service_account`
/// @param more members unknown to this version, unchanged
@JsonInclude(JsonInclude.Include.NON_NULL)
public record UserInfo(
    @JsonProperty("type") @Nullable String type,
    @JsonProperty("uid") @Nullable String uid,
    @JsonProperty("display_name") @Nullable String displayName,
    @JsonProperty("email") @Nullable String email,
    @JsonProperty("photo_url") @Nullable String photoUrl,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public UserInfo {
    more = DefensiveCopies.map(more);
  }
}
