package dev.runnel.client;

import dev.runnel.wire.ErrorCode;
import dev.runnel.wire.Problem;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/// What went wrong with a request: the service said no ([Answered]), there was no answer
/// ([Unanswered]), or it could not be read ([UnreadableAnswer]). The message is a sentence for
/// the log; it never holds the key, a header or a body.
public abstract sealed class RunsException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean mayHaveHappened;

  private RunsException(String message, boolean mayHaveHappened, @Nullable Throwable cause) {
    super(message, cause);
    this.mayHaveHappened = mayHaveHappened;
  }

  /// Whether what was asked for may have happened all the same. Of a creation: look for the run
  /// before creating another. Never true for a request that only reads.
  public boolean mayHaveHappened() {
    return mayHaveHappened;
  }

  /// Whether the same request may work later.
  public boolean retryable() {
    return true;
  }

  public OptionalInt status() {
    return OptionalInt.empty();
  }

  /// The service's error as it wrote it; empty too where the answer came from something else, as
  /// a proxy.
  public Optional<Problem> problem() {
    return Optional.empty();
  }

  /// The service's error code; empty text where there is none.
  public final ErrorCode code() {
    return problem().map(Problem::code).orElse(new ErrorCode(""));
  }

  /// Of the answer; empty where there was none.
  public HttpHeaders headers() {
    return HttpHeaders.of(Map.of(), (_, _) -> true);
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

  /// How long the service asked to wait; at most an hour.
  public Optional<Duration> retryAfter() {
    return Optional.empty();
  }

  /// An answer that is none of the 200s.
  public abstract static sealed class Answered extends RunsException {
    private static final long serialVersionUID = 1L;
    private static final Duration LONGEST_WAIT = Duration.ofHours(1);

    private final transient Answer answer;

    private Answered(String message, HttpCall call, Answer answer) {
      super(message, call.changesSomething() && (answer.doubt() || !answer.isRefusal()), null);
      this.answer = answer;
    }

    @Override
    public boolean retryable() {
      return answer.isRetryable();
    }

    @Override
    public OptionalInt status() {
      return OptionalInt.of(answer.status());
    }

    @Override
    public Optional<Problem> problem() {
      return answer.problem();
    }

    @Override
    public HttpHeaders headers() {
      return answer.httpHeaders();
    }

    @Override
    public Optional<Duration> retryAfter() {
      return RetryAfter.of(answer.headers(), answer.arrived(), LONGEST_WAIT);
    }
  }

  static Answered of(HttpCall call, Answer answer) {
    var message = Sentences.of(call, answer);
    return switch (answer.status()) {
      case 400 -> new BadRequest(message, call, answer);
      case 401 -> new Unauthorized(message, call, answer);
      case 403 -> new Forbidden(message, call, answer);
      case 404 -> new NotFound(message, call, answer);
      case 409 -> new Conflict(message, call, answer);
      case 422 -> new Unprocessable(message, call, answer);
      case 429 -> new TooMany(message, call, answer);
      default ->
          answer.status() >= 500
              ? new ServerFailed(message, call, answer)
              : new OtherStatus(message, call, answer);
    };
  }

  /// 400: something is missing or malformed, or the run has ended already.
  public static final class BadRequest extends Answered {
    private static final long serialVersionUID = 1L;

    private BadRequest(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 401: the key is not accepted, or an account elsewhere is not linked: see the code.
  public static final class Unauthorized extends Answered {
    private static final long serialVersionUID = 1L;

    private Unauthorized(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 403: not permitted, not paid for, switched off, or against the rules: see the code.
  public static final class Forbidden extends Answered {
    private static final long serialVersionUID = 1L;

    private Forbidden(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 404: unknown, or not visible to us.
  public static final class NotFound extends Answered {
    private static final long serialVersionUID = 1L;

    private NotFound(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 409: not in this state; while a run is being prepared it passes.
  public static final class Conflict extends Answered {
    private static final long serialVersionUID = 1L;

    private Conflict(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 422: this kind of run does not support it.
  public static final class Unprocessable extends Answered {
    private static final long serialVersionUID = 1L;

    private Unprocessable(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 429: the service is full.
  public static final class TooMany extends Answered {
    private static final long serialVersionUID = 1L;

    private TooMany(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// 500 and above. Not all of them pass: see [#retryable()].
  public static final class ServerFailed extends Answered {
    private static final long serialVersionUID = 1L;

    private ServerFailed(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// Any other status, redirects included: they are not followed, because a creation would become
  /// a reading.
  public static final class OtherStatus extends Answered {
    private static final long serialVersionUID = 1L;

    private OtherStatus(String message, HttpCall call, Answer answer) {
      super(message, call, answer);
    }
  }

  /// There was no complete answer.
  public abstract static sealed class Unanswered extends RunsException {
    private static final long serialVersionUID = 1L;

    private final boolean sent;

    private Unanswered(HttpCall call, String why, boolean sent, @Nullable Throwable cause) {
      this(call.action(), why, sent, call.changesSomething() && sent, cause);
    }

    private Unanswered(
        String action,
        String why,
        boolean sent,
        boolean mayHaveHappened,
        @Nullable Throwable cause) {
      super("Could not " + action + ": " + why, mayHaveHappened, cause);
      this.sent = sent;
    }

    /// Whether any of the request may have left, with this attempt or one before; if not, nothing
    /// can have happened.
    public boolean wasSent() {
      return sent;
    }

    /// The same, after an attempt that may have had an effect.
    abstract Unanswered inDoubt(HttpCall call);
  }

  /// The service could not be reached, or the connection broke.
  public static final class ConnectionFailed extends Unanswered {
    private static final long serialVersionUID = 1L;

    private final String why;
    private final boolean forGood;

    ConnectionFailed(HttpCall call, String why, boolean sent, @Nullable Throwable cause) {
      this(call, why, sent, false, cause);
    }

    private ConnectionFailed(
        HttpCall call, String why, boolean sent, boolean forGood, @Nullable Throwable cause) {
      super(call, why, sent, cause);
      this.why = why;
      this.forGood = forGood;
    }

    /// False when it is the client that is closed.
    @Override
    public boolean retryable() {
      return !forGood;
    }

    @Override
    ConnectionFailed inDoubt(HttpCall call) {
      return new ConnectionFailed(call, why, true, forGood, getCause());
    }
  }

  /// The deadline passed.
  public static final class TimedOut extends Unanswered {
    private static final long serialVersionUID = 1L;

    TimedOut(HttpCall call, boolean sent) {
      super(call, "the run service did not answer in time", sent, null);
    }

    private TimedOut(String action, String why) {
      super(action, why, true, false, null);
    }

    @Override
    TimedOut inDoubt(HttpCall call) {
      return new TimedOut(call, true);
    }
  }

  /// The thread was interrupted; it still is.
  public static final class Interrupted extends Unanswered {
    private static final long serialVersionUID = 1L;

    Interrupted(HttpCall call, boolean sent, Exception cause) {
      super(call, "interrupted", sent, cause);
    }

    private Interrupted(String action, boolean inDoubt, Exception cause) {
      super(action, "interrupted", inDoubt, inDoubt, cause);
    }

    @Override
    Interrupted inDoubt(HttpCall call) {
      return new Interrupted(
          call, true, getCause() instanceof Exception cause ? cause : new InterruptedException());
    }
  }

  static ConnectionFailed closed(HttpCall call) {
    return new ConnectionFailed(call, "the client is closed", false, true, null);
  }

  /// What was waited for did not come.
  static TimedOut late(String action, Duration deadline) {
    return new TimedOut(action, "it is not over after " + deadline);
  }

  static Interrupted interrupted(String action, boolean inDoubt, Exception cause) {
    return new Interrupted(action, inDoubt, cause);
  }

  /// An answer of the 200s that is not what was promised: cut off, HTML, another type.
  public static final class UnreadableAnswer extends RunsException {
    private static final long serialVersionUID = 1L;

    private final transient Answer answer;

    private UnreadableAnswer(HttpCall call, Answer answer, String why) {
      super("Could not " + call.action() + ": " + why, call.changesSomething(), null);
      this.answer = answer;
    }

    @Override
    public OptionalInt status() {
      return OptionalInt.of(answer.status());
    }

    @Override
    public HttpHeaders headers() {
      return answer.httpHeaders();
    }
  }

  static UnreadableAnswer unreadable(HttpCall call, Answer answer) {
    var type = Sentences.clean(answer.headers().get("Content-Type"));
    return unreadable(
        call,
        answer,
        "the answer is not what the run service promises (%d, %s, %d bytes)"
            .formatted(
                answer.status(), type.isEmpty() ? "no content type" : type, answer.body().size()));
  }

  static UnreadableAnswer unreadable(HttpCall call, Answer answer, String why) {
    return new UnreadableAnswer(call, answer, why);
  }
}
