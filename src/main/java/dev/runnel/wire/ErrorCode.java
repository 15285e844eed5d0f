package dev.runnel.wire;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Set;

/// The reason for a failure: the last segment of a problem's `type`, and the `error_code` of a
/// run's status message. Open: unknown values are preserved.
public record ErrorCode(@JsonValue String value) {
  public static final ErrorCode INVALID_REQUEST = new ErrorCode("invalid_request");
  public static final ErrorCode INTEGRATION_NOT_CONFIGURED =
      new ErrorCode("integration_not_configured");
  public static final ErrorCode AUTHENTICATION_REQUIRED = new ErrorCode("authentication_required");
  public static final ErrorCode EXTERNAL_AUTHENTICATION_REQUIRED =
      new ErrorCode("external_authentication_required");
  public static final ErrorCode NOT_AUTHORIZED = new ErrorCode("not_authorized");
  public static final ErrorCode INSUFFICIENT_CREDITS = new ErrorCode("insufficient_credits");
  public static final ErrorCode BUDGET_EXCEEDED = new ErrorCode("budget_exceeded");
  public static final ErrorCode FEATURE_NOT_AVAILABLE = new ErrorCode("feature_not_available");
  public static final ErrorCode INTEGRATION_DISABLED = new ErrorCode("integration_disabled");
  public static final ErrorCode CONTENT_POLICY_VIOLATION =
      new ErrorCode("content_policy_violation");
  public static final ErrorCode RESOURCE_NOT_FOUND = new ErrorCode("resource_not_found");
  public static final ErrorCode CONFLICT = new ErrorCode("conflict");
  public static final ErrorCode OPERATION_NOT_SUPPORTED = new ErrorCode("operation_not_supported");
  public static final ErrorCode ENVIRONMENT_SETUP_FAILED =
      new ErrorCode("environment_setup_failed");
  public static final ErrorCode RESOURCE_UNAVAILABLE = new ErrorCode("resource_unavailable");
  public static final ErrorCode INTERNAL_ERROR = new ErrorCode("internal_error");
  public static final ErrorCode INFRASTRUCTURE_TIMEOUT = new ErrorCode("infrastructure_timeout");
  public static final ErrorCode AGENT_PROCESS_FAILED = new ErrorCode("agent_process_failed");
  public static final ErrorCode AGENT_STREAM_NETWORK_ERROR =
      new ErrorCode("agent_stream_network_error");
  public static final ErrorCode AGENT_STREAM_FAILURE = new ErrorCode("agent_stream_failure");

  @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
  public ErrorCode {}

  /// Permanent failures, although their status 500 usually indicates a temporary one.
  private static final Set<ErrorCode> FINAL =
      Set.of(ENVIRONMENT_SETUP_FAILED, INFRASTRUCTURE_TIMEOUT, AGENT_PROCESS_FAILED);

  /// Whether retrying the same request cannot help, regardless of the status.
  @JsonIgnore
  public boolean isFinal() {
    return FINAL.contains(this);
  }

  @Override
  public String toString() {
    return value;
  }
}
