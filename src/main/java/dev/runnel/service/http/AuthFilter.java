package dev.runnel.service.http;

import dev.runnel.database.DatabaseException;
import dev.runnel.memory.RequestMemory;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.ApiKeys;
import dev.runnel.wire.Problem;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HandlerType;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
import java.net.URI;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Wraps every handler: authenticates the request, and converts failures to problems (RFC 9457),
/// always with the same spelling of `type`.
public record AuthFilter(ApiKeys keys, Supplier<URI> publicUrl) {
  private static final Logger log = LoggerFactory.getLogger(AuthFilter.class);
  private static final String SCHEME = "bearer ";
  private static final String RETRY_AFTER_SECONDS = "5";
  private static final Set<HandlerType> READ_METHODS = Set.of(HandlerType.GET, HandlerType.HEAD);
  private static final String TRACE = "runnel.trace";
  private static final Pattern TRACE_PARENT =
      Pattern.compile("[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*");

  /// Requires a valid key that permits the method, and passes its caller to the action.
  Handler authenticated(Api.Action action) {
    return withAnyKey(
        (ctx, caller) -> {
          if (caller.scope() instanceof Caller.Scope.Reading
              && !READ_METHODS.contains(ctx.method())) {
            throw readOnlyKey();
          }
          action.handle(ctx, caller);
        });
  }

  /// Requires a valid key, which may be read-only, and passes its caller to the action. The action
  /// decides what a read-only key permits.
  Handler withAnyKey(Api.Action action) {
    return open(
        ctx -> {
          var caller = authenticate(ctx.header("Authorization"));
          if (caller.isEmpty()) {
            ctx.header("WWW-Authenticate", "Bearer");
            throw new RequestProblem(
                RequestProblem.Code.AUTHENTICATION_REQUIRED,
                "Send the key as Authorization: Bearer KEY");
          }
          var memory = RequestMemory.of(ctx.attribute(RequestMemory.ATTRIBUTE));
          var isMain = caller.get().scope() instanceof Caller.Scope.All;
          if (!(isMain ? memory.proven() : memory.provenByKey())) {
            throw RequestProblem.overloaded();
          }
          action.handle(ctx, caller.get());
        });
  }

  static RequestProblem readOnlyKey() {
    return new RequestProblem(RequestProblem.Code.NOT_AUTHORIZED, "This key is for reading only");
  }

  /// Requires no key.
  Handler open(Handler handler) {
    return ctx -> {
      try {
        handler.handle(ctx);
      } catch (RequestProblem e) {
        respond(ctx, e);
      } catch (HttpResponseException e) {
        respond(ctx, problemOf(e.getStatus()));
      } catch (DatabaseException e) {
        respond(
            ctx, new RequestProblem(RequestProblem.Code.RESOURCE_UNAVAILABLE, "Try again soon"), e);
      } catch (IOException incompleteRequest) {
        respond(ctx, problemOf(400));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        respond(ctx, problemOf(500), e);
      } catch (Exception | StackOverflowError | LinkageError e) {
        // No other Error: after one of the memory, the process ends.
        respond(ctx, problemOf(500), e);
      }
    };
  }

  private Optional<Caller> authenticate(@Nullable String authorization) {
    var header = authorization == null ? "" : authorization;
    return header.toLowerCase(Locale.ROOT).startsWith(SCHEME)
        ? keys.authenticate(header.substring(SCHEME.length()).strip())
        : Optional.empty();
  }

  private static RequestProblem problemOf(int status) {
    return switch (status) {
      case 413 ->
          new RequestProblem(
              RequestProblem.Code.REQUEST_TOO_LARGE,
              "The body is larger than this service accepts");
      case 404 ->
          new RequestProblem(
              RequestProblem.Code.RESOURCE_NOT_FOUND, "There is nothing at this address");
      case 503 -> RequestProblem.overloaded();
      default ->
          status >= 400 && status < 500
              ? RequestProblem.invalid("The request cannot be read")
              : new RequestProblem(
                  RequestProblem.Code.INTERNAL_ERROR,
                  "The log has details under the trace id of this response");
    };
  }

  private void respond(Context ctx, RequestProblem problem) {
    respond(ctx, problem, problem);
  }

  /// @param cause for the log
  private void respond(Context ctx, RequestProblem problem, Throwable cause) {
    var code = problem.code();
    if (code.status() == 500) {
      logFailure(ctx, cause);
    }
    switch (code) {
      case RESOURCE_UNAVAILABLE -> ctx.header("Retry-After", RETRY_AFTER_SECONDS);
      // What takes the memory is gone within the second.
      case OVERLOADED -> ctx.header("Retry-After", "1");
      default -> {}
    }
    var base = publicUrl.get().toString().replaceAll("(?<!/)/+$", "");
    ctx.status(code.status())
        .contentType("application/problem+json")
        .result(
            ServiceJson.write(
                Problem.builder()
                    .type(base + "/problems/" + code.typeSegment())
                    .title(code.title())
                    .status(code.status())
                    .error(code.title() + " (" + problem.detail() + ")")
                    .detail(problem.detail())
                    .instance(ctx.path())
                    .retryable(code.isRetryable())
                    .traceId(traceId(ctx))
                    .build()));
  }

  private static void logFailure(Context ctx, Throwable cause) {
    switch (cause) {
      case RequestProblem known ->
          log.warn(
              "request failed method={} path={} error={} why={}",
              ctx.method(),
              ctx.path(),
              traceId(ctx),
              known.detail());
      case DatabaseException _ ->
          log.warn(
              "database error method={} path={} error={}",
              ctx.method(),
              ctx.path(),
              traceId(ctx),
              cause);
      default ->
          log.error(
              "unexpected error method={} path={} error={}",
              ctx.method(),
              ctx.path(),
              traceId(ctx),
              cause);
    }
  }

  /// The request's trace id: the caller's if it sent one in W3C Trace Context, else a random one.
  /// An unexpected error is logged with it.
  private static String traceId(Context ctx) {
    String existing = ctx.attribute(TRACE);
    if (existing != null) {
      return existing;
    }
    var created = newTraceId(ctx);
    ctx.attribute(TRACE, created);
    return created;
  }

  private static String newTraceId(Context ctx) {
    var header = ctx.header("traceparent");
    var parent = TRACE_PARENT.matcher(header == null ? "" : header);
    if (parent.matches()) {
      return parent.group(1);
    }
    var bytes = new byte[16];
    ThreadLocalRandom.current().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
