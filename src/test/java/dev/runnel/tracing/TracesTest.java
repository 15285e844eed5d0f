package dev.runnel.tracing;

import static dev.runnel.testkit.Samples.delivery;
import static dev.runnel.testkit.Samples.say;
import static dev.runnel.testkit.Samples.start;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.DispatchOptions;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.scope.Profiles;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.MemoryStore;
import dev.runnel.testkit.MockServers;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import dev.runnel.web.RequestMetrics;
import dev.runnel.web.WebhookEndpoint;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Test;

class TracesTest {
  private static final AttributeKey<String> RUN = AttributeKey.stringKey("runnel.run");
  private static final AttributeKey<String> DELIVERY = AttributeKey.stringKey("runnel.delivery");
  private static final Delivery ASKED = delivery("7", start("fix the flaky test"));

  private final SettableClock clock = new SettableClock();
  private final MemoryStore store = new MemoryStore();
  private final FakeAgentRuns service = new FakeAgentRuns(clock);
  private final FakeSurface platform = new FakeSurface();

  /// A node that shares the store, the service and the platform with the others.
  private final class TracedNode implements AutoCloseable {
    private final Kept kept = new Kept();
    private final Traces traces = new Traces(kept, "1.0");
    private final WebhookEndpoint door;
    private final Dispatcher dispatcher;
    private final Courier courier;

    TracedNode() {
      var runs = traces.runs(service);
      var surfaces = Surfaces.of(List.of(traces.surface(platform)));
      var recovery = new OutageRecovery(store, runs, surfaces);
      door = new WebhookEndpoint(store, surfaces, clock, new RequestMetrics(), traces);
      dispatcher =
          Dispatcher.of(
              store,
              runs,
              surfaces,
              Profiles.NONE,
              Defaults.NONE,
              Policy.NONE,
              HealthCheck.NONE,
              recovery,
              RunChangeListener.NONE,
              DispatchOptions.DEFAULT.withTraces(traces),
              new Random(1));
      courier =
          new Courier(
              store,
              surfaces,
              new Random(1),
              Reminders.NONE,
              recovery,
              new FileDelivery(runs, FileLimits.DEFAULT));
    }

    void receives(Delivery delivery) {
      assertThat(
              door.take(
                      Samples.SURFACE,
                      new WebhookResult.Accepted(delivery, Reply.text(200, "kept")))
                  .status())
          .isEqualTo(200);
    }

    void works() {
      dispatcher.step(Samples.THREAD, clock.instant());
      clock.advance(Duration.ofSeconds(2));
      courier.step(Samples.THREAD, clock.instant());
    }

    List<SpanData> spans() {
      traces.flush();
      return kept.spans;
    }

    SpanData span(String name) {
      return spans().stream().filter(it -> it.getName().equals(name)).findFirst().orElseThrow();
    }

    @Override
    public void close() {
      traces.close();
    }
  }

  @Test
  void deliveryHasOneTraceFromItsArrivalToThePost() {
    try (var node = new TracedNode()) {
      node.receives(ASKED);
      node.works();

      var root = node.span("delivery");
      assertThat(node.spans())
          .extracting(SpanData::getName)
          .contains("delivery", "commit", "attempt", "run service start", "post");
      assertThat(node.span("commit").getParentSpanId()).isEqualTo(root.getSpanId());
      assertThat(node.span("attempt").getParentSpanId()).isEqualTo(root.getSpanId());
      assertThat(node.span("run service start").getParentSpanId())
          .isEqualTo(node.span("attempt").getSpanId());
      var ofTheRun =
          node.spans().stream()
              .filter(it -> it.getName().equals("post"))
              .filter(it -> it.getAttributes().get(RUN) != null)
              .toList();
      assertThat(ofTheRun).isNotEmpty();
      assertThat(ofTheRun).allMatch(it -> it.getTraceId().equals(root.getTraceId()));
    }
  }

  @Test
  void spansCarryTheKeysOfTheLogAndNoTexts() {
    try (var node = new TracedNode()) {
      node.receives(ASKED);
      node.works();

      assertThat(node.span("attempt").getAttributes().get(DELIVERY))
          .isEqualTo(ASKED.id().toString());
      assertThat(node.span("run service start").getAttributes().get(RUN)).isNotBlank();
      assertThat(node.spans().toString()).doesNotContain("flaky", "dana");
    }
  }

  @Test
  void otherNodeContinuesTheSameTrace() {
    try (var receiving = new TracedNode();
        var working = new TracedNode()) {
      receiving.receives(ASKED);
      working.works();

      var root = receiving.span("delivery");
      assertThat(working.span("attempt").getTraceId()).isEqualTo(root.getTraceId());
      assertThat(working.span("attempt").getParentSpanId()).isEqualTo(root.getSpanId());
    }
  }

  @Test
  void aDeliveryThatIsSentAgainIsNotASecondTrace() {
    try (var node = new TracedNode()) {
      node.receives(ASKED);
      node.receives(ASKED);

      assertThat(node.spans()).extracting(SpanData::getName).containsOnlyOnce("delivery");
    }
  }

  @Test
  void everyDeliveryHasItsOwnTrace() {
    try (var node = new TracedNode()) {
      node.receives(ASKED);
      node.receives(delivery("8", say("and lint")));

      assertThat(node.spans())
          .filteredOn(it -> it.getName().equals("delivery"))
          .extracting(SpanData::getTraceId)
          .doesNotHaveDuplicates()
          .hasSize(2);
    }
  }

  @Test
  void spansAreSentToAReceiverOverHttp() throws Exception {
    try (var receiver = MockServers.create()) {
      receiver.enqueue(new MockResponse.Builder().code(200).build());
      receiver.start();

      try (var traces =
          Traces.otlp(
              receiver.url("/v1/traces").uri(), Map.of("Authorization", "Bearer t"), "1.0")) {
        traces.stored(ASKED, clock.instant(), clock.instant());
      }

      var request = Objects.requireNonNull(receiver.takeRequest(10, TimeUnit.SECONDS));
      assertThat(request.getTarget()).isEqualTo("/v1/traces");
      assertThat(request.getHeaders().get("Authorization")).isEqualTo("Bearer t");
      assertThat(request.getHeaders().get("Content-Type")).isEqualTo("application/x-protobuf");
      assertThat(Objects.requireNonNull(request.getBody()).string(StandardCharsets.ISO_8859_1))
          .contains("service.name", "runnel.delivery", ASKED.id().value());
    }
  }

  private static final class Kept implements SpanExporter {
    private final List<SpanData> spans = new CopyOnWriteArrayList<>();

    @Override
    public CompletableResultCode export(Collection<SpanData> batch) {
      spans.addAll(batch);
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }
}
