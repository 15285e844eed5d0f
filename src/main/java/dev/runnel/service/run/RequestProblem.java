package dev.runnel.service.run;

import java.util.Locale;

/// A request that cannot be fulfilled, with the error code for the response.
public final class RequestProblem extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final Code code;

  /// The error codes of this service, with their HTTP status.
  public enum Code {
    INVALID_REQUEST(400, "The request is not valid", false),
    AUTHENTICATION_REQUIRED(401, "The API key is missing or wrong", false),
    NOT_AUTHORIZED(403, "This key may not do that", false),
    BUDGET_EXCEEDED(403, "A budget is used up", false),
    FEATURE_NOT_AVAILABLE(403, "Starts of runs are frozen", false),
    /// A published feature that this service does not have. To clients the same as
    /// [#FEATURE_NOT_AVAILABLE].
    NOT_OFFERED(403, "This service does not offer that", false),
    RESOURCE_NOT_FOUND(404, "Not found", false),
    METHOD_NOT_ALLOWED(405, "The method is not allowed here", false),
    REQUEST_TOO_LARGE(413, "The request is too large", false),
    OPERATION_NOT_SUPPORTED(422, "This service cannot do that", false),
    INTERNAL_ERROR(500, "An unexpected error occurred in the service", true),
    RESOURCE_UNAVAILABLE(500, "The service has no capacity for this now", true),
    /// Too many requests at once. To clients the same as [#RESOURCE_UNAVAILABLE].
    OVERLOADED(503, "The service has no capacity for this now", true);

    private final int status;
    private final String title;
    private final boolean retryable;

    Code(int status, String title, boolean retryable) {
      this.status = status;
      this.title = title;
      this.retryable = retryable;
    }

    public int status() {
      return status;
    }

    public String title() {
      return title;
    }

    public boolean isRetryable() {
      return retryable;
    }

    /// The last segment of a problem's `type`.
    public String typeSegment() {
      var published =
          switch (this) {
            case OVERLOADED -> RESOURCE_UNAVAILABLE;
            case NOT_OFFERED -> FEATURE_NOT_AVAILABLE;
            default -> this;
          };
      return published.name().toLowerCase(Locale.ROOT);
    }
  }

  /// @param detail explanation for the caller
  public RequestProblem(Code code, String detail) {
    super(detail);
    this.code = code;
  }

  public static RequestProblem invalid(String detail) {
    return new RequestProblem(Code.INVALID_REQUEST, detail);
  }

  /// There is no memory for the request now.
  public static RequestProblem overloaded() {
    return new RequestProblem(
        Code.OVERLOADED, "Too much is being sent at once. Send the request again soon");
  }

  public static RequestProblem tooLarge(long maxBytes) {
    return new RequestProblem(
        Code.REQUEST_TOO_LARGE, "A body may have at most %,d bytes here".formatted(maxBytes));
  }

  public static RequestProblem noRun() {
    return new RequestProblem(Code.RESOURCE_NOT_FOUND, "No run has this id");
  }

  public Code code() {
    return code;
  }

  public String detail() {
    var detail = getMessage();
    return detail == null ? "" : detail;
  }
}
