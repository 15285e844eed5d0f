package dev.runnel.client;

import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.Problem;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// A failed request: the service returned an error ([ServiceError]), there was no response
/// ([TransportError]), or it could not be parsed ([MalformedResponse]). The message is a sentence
/// for the log; it never contains the key, a header or a body.
public abstract sealed class RunsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean mayHaveHappened;

  private RunsException(String message, boolean mayHaveHappened, @Nullable Throwable cause) {
    super(message, cause);
    this.mayHaveHappened = mayHaveHappened;
  }

  /// Whether the request may have had its effect despite the failure. After a failed creation, look
  /// for the run before creating another. Never true for a read-only request.
  public boolean mayHaveHappened() {
    return mayHaveHappened;
  }

  /// Whether the same request may succeed later.
  public boolean retryable() {
    return true;
  }

  public OptionalInt status() {
    return OptionalInt.empty();
  }

  /// The error in the service's response; also empty if the response came from elsewhere, such as a
  /// proxy.
  public Optional<Problem> problem() {
    return Optional.empty();
  }

  /// The service's error code; empty text if there is none.
  public final ErrorCode code() {
    return problem().map(Problem::code).orElse(new ErrorCode(""));
  }

  /// The headers of the response; empty if there was none.
  public HttpHeaders headers() {
    return HttpHeaders.of(Map.of(), (name, value) -> true);
  }

  public final Optional<String> title() {
    return problem().map(Problem::title);
  }

  public final Optional<String> detail() {
    return problem().map(Problem::detail);
  }

  public final Optional<String> traceId() {
    return problem().map(Problem::traceId);
  }

  public final Optional<String> requestId() {
    return headers().firstValue("X-Request-Id");
  }

  /// The wait that the service requested, at most 1 hour.
  public Optional<Duration> retryAfter() {
    return Optional.empty();
  }

  /// A response with a status other than 2xx.
  public abstract static sealed class ServiceError extends RunsException {
    private static final long serialVersionUID = 1L;
    private static final Duration MAX_WAIT = Duration.ofHours(1);

    private final transient HttpResponse httpResponse;

    private ServiceError(String message, HttpRequest call, HttpResponse httpResponse) {
      super(
          message,
          call.changesSomething() && (httpResponse.mayHaveHappened() || !httpResponse.isRefusal()),
          null);
      this.httpResponse = httpResponse;
    }

    @Override
    public boolean retryable() {
      return httpResponse.isRetryable();
    }

    @Override
    public OptionalInt status() {
      return OptionalInt.of(httpResponse.status());
    }

    @Override
    public Optional<Problem> problem() {
      return httpResponse.problem();
    }

    @Override
    public HttpHeaders headers() {
      return httpResponse.httpHeaders();
    }

    @Override
    public Optional<Duration> retryAfter() {
      return RetryAfter.of(httpResponse.headers(), httpResponse.arrived(), MAX_WAIT);
    }
  }

  static ServiceError of(HttpRequest call, HttpResponse httpResponse) {
    var message = ErrorMessages.of(call, httpResponse);
    return switch (httpResponse.status()) {
      case 400 -> new BadRequest(message, call, httpResponse);
      case 401 -> new Unauthorized(message, call, httpResponse);
      case 403 -> new Forbidden(message, call, httpResponse);
      case 404 -> new NotFound(message, call, httpResponse);
      case 409 -> new Conflict(message, call, httpResponse);
      case 422 -> new Unprocessable(message, call, httpResponse);
      case 429 -> new TooMany(message, call, httpResponse);
      default ->
          httpResponse.status() >= 500
              ? new ServerFailed(message, call, httpResponse)
              : new OtherStatus(message, call, httpResponse);
    };
  }

  /// 400: something is missing or malformed, or the run has already ended.
  public static final class BadRequest extends ServiceError {
    private static final long serialVersionUID = 1L;

    private BadRequest(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 401: the key is not accepted, or an external account is not linked: see the code.
  public static final class Unauthorized extends ServiceError {
    private static final long serialVersionUID = 1L;

    private Unauthorized(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 403: not permitted, not paid for, disabled, or against policy: see the code.
  public static final class Forbidden extends ServiceError {
    private static final long serialVersionUID = 1L;

    private Forbidden(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 404: does not exist, or is not visible to the caller.
  public static final class NotFound extends ServiceError {
    private static final long serialVersionUID = 1L;

    private NotFound(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 409: not possible in the current state; temporary while a run is being prepared.
  public static final class Conflict extends ServiceError {
    private static final long serialVersionUID = 1L;

    private Conflict(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 422: this kind of run does not support it.
  public static final class Unprocessable extends ServiceError {
    private static final long serialVersionUID = 1L;

    private Unprocessable(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 429: too many requests, or no capacity.
  public static final class TooMany extends ServiceError {
    private static final long serialVersionUID = 1L;

    private TooMany(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// 500 and above. Not all of them are temporary: see [#retryable()].
  public static final class ServerFailed extends ServiceError {
    private static final long serialVersionUID = 1L;

    private ServerFailed(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// Any other status, including redirects, which are only followed for read-only requests.
  public static final class OtherStatus extends ServiceError {
    private static final long serialVersionUID = 1L;

    private OtherStatus(String message, HttpRequest call, HttpResponse httpResponse) {
      super(message, call, httpResponse);
    }
  }

  /// There was no complete response.
  public abstract static sealed class TransportError extends RunsException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    private TransportError(HttpRequest call, String why, boolean sent, @Nullable Throwable cause) {
      this(call.action(), why, sent, call.changesSomething() && sent, cause);
    }

    private TransportError(
        String action,
        String why,
        boolean sent,
        boolean mayHaveHappened,
        @Nullable Throwable cause) {
      super("Could not " + action + ": " + why, mayHaveHappened, cause);
      this.sent = sent;
    }

    /// Whether any part of the request may have been sent, in this attempt or an earlier one; if
    /// not, it had no effect.
    public boolean wasSent() {
      return sent;
    }

    /// Returns the same failure, marked as following an attempt that may have had an effect.
    abstract TransportError inDoubt(HttpRequest call);
  }

  /// The service could not be reached, or the connection was lost.
  public static final class ConnectionFailed extends TransportError {
    private static final long serialVersionUID = 1L;

    private final String why;
    private final boolean permanent;

    ConnectionFailed(HttpRequest call, String why, boolean sent, @Nullable Throwable cause) {
      this(call, why, sent, false, cause);
    }

    private ConnectionFailed(
        HttpRequest call, String why, boolean sent, boolean permanent, @Nullable Throwable cause) {
      super(call, why, sent, cause);
      this.why = why;
      this.permanent = permanent;
    }

    /// False if the client is closed.
    @Override
    public boolean retryable() {
      return !permanent;
    }

    @Override
    ConnectionFailed inDoubt(HttpRequest call) {
      return new ConnectionFailed(call, why, true, permanent, getCause());
    }
  }

  /// The deadline passed.
  public static final class TimedOut extends TransportError {
    private static final long serialVersionUID = 1L;

    TimedOut(HttpRequest call, boolean sent) {
      super(call, "the run service did not answer in time", sent, null);
    }

    private TimedOut(String action, String why) {
      super(action, why, true, false, null);
    }

    @Override
    TimedOut inDoubt(HttpRequest call) {
      return new TimedOut(call, true);
    }
  }

  /// The thread was interrupted; its interrupt status is set.
  public static final class Interrupted extends TransportError {
    private static final long serialVersionUID = 1L;

    Interrupted(HttpRequest call, boolean sent, Exception cause) {
      super(call, "interrupted", sent, cause);
    }

    private Interrupted(String action, boolean inDoubt, Exception cause) {
      super(action, "interrupted", inDoubt, inDoubt, cause);
    }

    @Override
    Interrupted inDoubt(HttpRequest call) {
      return new Interrupted(
          call, true, getCause() instanceof Exception cause ? cause : new InterruptedException());
    }
  }

  static ConnectionFailed closed(HttpRequest call) {
    return new ConnectionFailed(call, "the client is closed", false, true, null);
  }

  /// The awaited state was not reached before the deadline.
  static TimedOut waitTimedOut(String action, Duration deadline) {
    return new TimedOut(action, "it has not finished after " + deadline);
  }

  static Interrupted interrupted(String action, boolean inDoubt, Exception cause) {
    return new Interrupted(action, inDoubt, cause);
  }

  /// A 2xx response in an unexpected format: truncated, HTML, another type.
  public static final class MalformedResponse extends RunsException {
    private static final long serialVersionUID = 1L;

    private final transient HttpResponse httpResponse;

    private MalformedResponse(HttpRequest call, HttpResponse httpResponse, String why) {
      super("Could not " + call.action() + ": " + why, call.changesSomething(), null);
      this.httpResponse = httpResponse;
    }

    @Override
    public OptionalInt status() {
      return OptionalInt.of(httpResponse.status());
    }

    @Override
    public HttpHeaders headers() {
      return httpResponse.httpHeaders();
    }
  }

  static MalformedResponse unreadable(HttpRequest call, HttpResponse httpResponse) {
    var type = ErrorMessages.clean(httpResponse.headers().get("Content-Type"));
    return unreadable(
        call,
        httpResponse,
        "the response does not have the expected format (%d, %s, %d bytes)"
            .formatted(
                httpResponse.status(),
                type.isEmpty() ? "no content type" : type,
                httpResponse.body().size()));
  }

  static MalformedResponse unreadable(HttpRequest call, HttpResponse httpResponse, String why) {
    return new MalformedResponse(call, httpResponse, why);
  }
}
