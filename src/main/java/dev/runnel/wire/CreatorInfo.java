package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// Who created a run (the interface's `RunCreatorInfo`).
///
/// @param type `user` or `service_account`
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CreatorInfo(
    @JsonProperty("type") @Nullable String type,
    @JsonProperty("uid") @Nullable String uid,
    @JsonProperty("display_name") @Nullable String displayName,
    @JsonProperty("email") @Nullable String email,
    @JsonProperty("photo_url") @Nullable String photoUrl) {}
