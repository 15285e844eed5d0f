package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/// A page of runs (the interface's `ListRunsResponse`).
public record RunPage(
    @JsonProperty("runs") List<RunItem> runs, @JsonProperty("page_info") PageInfo pageInfo) {}
