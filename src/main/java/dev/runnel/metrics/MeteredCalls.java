package dev.runnel.metrics;

import dev.runnel.core.model.conversation.SurfaceId;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.util.function.Supplier;
import okhttp3.Interceptor;
import okhttp3.Response;

/// Measures the calls to one platform by the status of the response; `none` if there was none. URLs
/// are not labels, because they contain names of people and repositories.
record MeteredCalls(SurfaceId surface, Supplier<MeterRegistry> registry) implements Interceptor {
  @Override
  public Response intercept(Chain chain) throws IOException {
    var start = Timer.start(registry.get());
    var status = "none";
    try {
      var response = chain.proceed(chain.request());
      status = Integer.toString(response.code());
      return response;
    } finally {
      start.stop(
          Timer.builder("runnel.platform.requests")
              .description(
                  "Calls to a platform, by surface and HTTP status; none if there was no response.")
              .tag("surface", surface.value())
              .tag("status", status)
              .register(registry.get()));
    }
  }
}
