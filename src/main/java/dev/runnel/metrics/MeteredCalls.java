package dev.runnel.metrics;

import dev.runnel.core.model.conversation.SurfaceId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.util.Locale;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.Response;

/// Measures the calls to one platform by the status of the response; `none` if there was none. URLs
/// are not labels, because they contain names of people and repositories.
record MeteredCalls(SurfaceId surface, Supplier<MeterRegistry> registry) implements Interceptor {
  private static final int FORBIDDEN = 403;
  private static final int TOO_MANY_REQUESTS = 429;
  // The messages about limits are short.
  private static final int MAX_MESSAGE = 4_096;

  @Override
  public Response intercept(Chain chain) throws IOException {
    var start = Timer.start(registry.get());
    var status = "none";
    try {
      var response = chain.proceed(chain.request());
      status = Integer.toString(status(response));
      return response;
    } finally {
      start.stop(
          Timer.builder("runnel.platform.requests")
              .description(
                  "Calls to a platform, by surface and HTTP status; none if there was no response."
                      + " A 403 that is a rate limit counts as 429.")
              .tag("surface", surface.value())
              .tag("status", status)
              .register(registry.get()));
    }
  }

  /// GitHub may answer 403 when a limit is exceeded. See
  /// https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api
  private static int status(Response response) throws IOException {
    var isLimit =
        response.code() == FORBIDDEN
            && (response.header("Retry-After") != null
                || "0".equals(response.header("x-ratelimit-remaining"))
                || response
                    .peekBody(MAX_MESSAGE)
                    .string()
                    .toLowerCase(Locale.ROOT)
                    .contains("rate limit"));
    return isLimit ? TOO_MANY_REQUESTS : response.code();
  }
}
