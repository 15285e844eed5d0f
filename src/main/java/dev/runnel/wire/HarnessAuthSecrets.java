package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonAnyGetter;
import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The names of managed secrets that agents sign in with; never their values.
///
/// @param more what this version does not know, as it came
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HarnessAuthSecrets(
    @JsonProperty("claude_auth_secret_name") @Nullable String claudeAuthSecretName,
    @JsonProperty("codex_auth_secret_name") @Nullable String codexAuthSecretName,
    @JsonAnySetter @JsonAnyGetter Map<String, JsonNode> more) {
  public HarnessAuthSecrets {
    more = Copies.map(more);
  }
}
