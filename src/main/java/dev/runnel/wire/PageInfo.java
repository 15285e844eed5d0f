package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/// Where a list goes on.
///
/// @param nextCursor opaque; absent on the last page
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PageInfo(
    @JsonProperty("has_next_page") boolean hasNextPage,
    @JsonProperty("next_cursor") @Nullable String nextCursor) {}
