package dev.runnel.service;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The service is held to each row of the interface's tables by a probe, as the client is by
/// `SpecificationTest`. Where the service rightly has nothing, the probe asks for what it says
/// instead.
@Tag("slow")
class ServiceRowsTest {
  private static final List<Class<?>> PROBES =
      List.of(
          CreateRowsTest.class,
          ConfigRowsTest.class,
          RunItemRowsTest.class,
          StateRowsTest.class,
          ListRowsTest.class,
          SteeringRowsTest.class,
          ProblemRowsTest.class,
          NeighbourRowsTest.class,
          FactoryRowsTest.class,
          GrownRowsTest.class);

  @Test
  void everySpecifiedRowHasATest() throws Exception {
    var probed =
        PROBES.stream()
            .flatMap(type -> Stream.of(type.getDeclaredMethods()))
            .filter(method -> method.isAnnotationPresent(Row.class))
            .map(method -> requireNonNull(method.getAnnotation(Row.class)).value());

    assertThat(probed).containsExactlyInAnyOrderElementsOf(published());
  }

  private static List<String> published() throws IOException {
    try (var file =
        requireNonNull(
            ServiceRowsTest.class.getResourceAsStream("/golden/agent-run-api/rows.txt"))) {
      return new String(file.readAllBytes(), UTF_8).lines().flatMap(ServiceRowsTest::rows).toList();
    }
  }

  private static Stream<String> rows(String line) {
    var section = line.substring(0, line.indexOf(' ') + 1);
    return Stream.of(line.substring(section.length()).split(" \\| ")).map(section::concat);
  }
}
