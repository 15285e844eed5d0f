package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import io.javalin.http.Context;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;

/// The memory of bodies while they are used.
class RequestBodiesTest {
  private static final Caller READER = new Caller("r", "Reader", new Caller.Scope.Reading());

  private final Share proven = MemoryBudget.of(256L << 20).share(MemoryBudget.Kind.PROVEN);
  private final RequestBodies bodies = new RequestBodies(proven);

  @Test
  void bodiesWithASmallKeyLeaveRoomForTheMainKey() throws Exception {
    var held = new ArrayList<RequestBodies.RequestBody>();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100; i++) {
                held.add(bodies.read(request(), READER));
              }
            })
        .isInstanceOfSatisfying(
            RequestProblem.class,
            it -> assertThat(it.code()).isEqualTo(RequestProblem.Code.OVERLOADED));

    assertThat(proven.taken()).isLessThanOrEqualTo(proven.size() / 8 * 3);
    bodies.read(request(), Caller.MAIN).close();
    held.forEach(RequestBodies.RequestBody::close);
    assertThat(proven.taken()).isZero();
  }

  private static Context request() throws IOException {
    var body = ("{\"a\":\"" + "x".repeat(1_000_000) + "\"}").getBytes(StandardCharsets.UTF_8);
    var request = mock(Context.class);
    when(request.contentLength()).thenReturn(body.length);
    when(request.bodyInputStream()).thenReturn(new ByteArrayInputStream(body));
    return request;
  }
}
