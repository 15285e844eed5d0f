package dev.runnel.tracing;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.TraceRecorder;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.IdGenerator;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// The spans of deliveries: `delivery` with `commit`, `attempt` with the calls to the run service,
/// and `post`. The ids of a delivery's trace and of its first span are a digest of the delivery's
/// id. So every node, also after a restart, adds to the same trace without storing it. Attributes
/// are ids, with the names that the log uses, and never texts.
public final class Traces implements TraceRecorder, AutoCloseable {
  private static final AttributeKey<String> DELIVERY = AttributeKey.stringKey("runnel.delivery");
  private static final AttributeKey<String> CONVERSATION =
      AttributeKey.stringKey("runnel.conversation");
  private static final AttributeKey<String> SURFACE = AttributeKey.stringKey("runnel.surface");
  private static final AttributeKey<Long> TRY = AttributeKey.longKey("runnel.try");

  private static final int TRACE_DIGITS = 32;
  private static final int SPAN_DIGITS = 16;
  private static final long MAX_CLOSE_SECONDS = 5;

  /// The ids of the span that is being started; empty for random ones.
  private static final ScopedValue<SpanContext> FIRST = ScopedValue.newInstance();

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  /// @param version Runnel's
  Traces(SpanExporter exporter, String version) {
    provider =
        SdkTracerProvider.builder()
            .setResource(
                Resource.create(
                    Attributes.builder()
                        .put("service.name", "runnel")
                        .put("service.version", version)
                        .build()))
            .setIdGenerator(new Ids())
            .addSpanProcessor(BatchSpanProcessor.builder(exporter).build())
            .build();
    tracer = provider.get("dev.runnel", version);
  }

  /// Sends spans to an OTLP receiver over HTTP, in the background.
  ///
  /// @param headers of each request, such as `Authorization`
  /// @param version Runnel's
  public static Traces otlp(URI endpoint, Map<String, String> headers, String version) {
    var exporter = OtlpHttpSpanExporter.builder().setEndpoint(endpoint.toString());
    headers.forEach(exporter::addHeader);
    return new Traces(exporter.build(), version);
  }

  /// The calls to the run service as spans.
  public AgentRuns runs(AgentRuns runs) {
    return new TracedRuns(runs, this);
  }

  /// The posts of the surface as spans.
  public Surface surface(Surface surface) {
    return new TracedSurface(surface, this);
  }

  @Override
  public void stored(Delivery delivery, Instant since, Instant until) {
    var first = first(delivery.id());
    var span =
        ScopedValue.where(FIRST, first)
            .call(
                () ->
                    tracer
                        .spanBuilder("delivery")
                        .setNoParent()
                        .setSpanKind(SpanKind.SERVER)
                        .setStartTimestamp(delivery.arrivedAt())
                        .setAllAttributes(attributes(delivery))
                        .startSpan());
    tracer
        .spanBuilder("commit")
        .setParent(Context.root().with(span))
        .setStartTimestamp(since)
        .startSpan()
        .end(until);
    span.end(until);
  }

  @Override
  public void attempt(Delivery delivery, int tries, Runnable work) {
    var span =
        tracer
            .spanBuilder("attempt")
            .setParent(parent(delivery.id()))
            .setSpanKind(SpanKind.CONSUMER)
            .setAllAttributes(attributes(delivery))
            .setAttribute(TRY, (long) tries + 1)
            .startSpan();
    try (var _ = span.makeCurrent()) {
      work.run();
    } finally {
      span.end();
    }
  }

  private static Attributes attributes(Delivery delivery) {
    return Attributes.of(
        DELIVERY,
        delivery.id().value(),
        CONVERSATION,
        delivery.conversation().toString(),
        SURFACE,
        delivery.conversation().surface().value());
  }

  /// Runs a call to another system.
  ///
  /// @param delivery the delivery that makes the call; empty to use the current attempt's
  <T> T called(
      String name,
      Optional<DeliveryId> delivery,
      Map<String, String> attributes,
      Supplier<T> call,
      Describer<T> describer) {
    var builder = tracer.spanBuilder(name).setSpanKind(SpanKind.CLIENT);
    if (!Span.current().getSpanContext().isValid()) {
      delivery.ifPresent(id -> builder.setParent(parent(id)));
    }
    delivery.ifPresent(id -> builder.setAttribute(DELIVERY, id.value()));
    attributes.forEach(builder::setAttribute);
    var span = builder.startSpan();
    Consumer<String> failed = why -> span.setStatus(StatusCode.ERROR, why);
    try (var _ = span.makeCurrent()) {
      var result = call.get();
      span.setAttribute("runnel.outcome", describer.outcome(result));
      describer.run(result).ifPresent(run -> span.setAttribute("runnel.run", run));
      if (describer.isFailure(result)) {
        failed.accept(describer.outcome(result));
      }
      return result;
    } catch (RuntimeException broken) {
      failed.accept(broken.getClass().getSimpleName());
      throw broken;
    } finally {
      span.end();
    }
  }

  /// Describes the result of a call for its span.
  interface Describer<T> {
    /// The attribute `runnel.outcome`.
    String outcome(T result);

    boolean isFailure(T result);

    default Optional<String> run(T result) {
      return Optional.empty();
    }
  }

  private static Context parent(DeliveryId delivery) {
    return Context.root().with(Span.wrap(first(delivery)));
  }

  /// The first span of a delivery.
  static SpanContext first(DeliveryId delivery) {
    try {
      var digest =
          HexFormat.of()
              .formatHex(
                  MessageDigest.getInstance("SHA-256")
                      .digest(delivery.value().getBytes(StandardCharsets.UTF_8)));
      return SpanContext.createFromRemoteParent(
          digest.substring(0, TRACE_DIGITS),
          digest.substring(TRACE_DIGITS, TRACE_DIGITS + SPAN_DIGITS),
          TraceFlags.getSampled(),
          TraceState.getDefault());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every JVM has SHA-256", e);
    }
  }

  /// Sends the queued spans, within a few seconds.
  void flush() {
    provider.forceFlush().join(MAX_CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    provider.shutdown().join(MAX_CLOSE_SECONDS, TimeUnit.SECONDS);
  }

  private static final class Ids implements IdGenerator {
    private final IdGenerator random = IdGenerator.random();

    @Override
    public String generateSpanId() {
      return FIRST.isBound() ? FIRST.get().getSpanId() : random.generateSpanId();
    }

    @Override
    public String generateTraceId() {
      return FIRST.isBound() ? FIRST.get().getTraceId() : random.generateTraceId();
    }
  }
}
