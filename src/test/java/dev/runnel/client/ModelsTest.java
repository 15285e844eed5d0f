package dev.runnel.client;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunStateValue;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// What values a caller holds and gives.
class ModelsTest extends ClientFixture {
  @Test
  void anAnswerIsATypedValueWithItsTimes() {
    server.enqueue(json(200, RUN));
    try (var client = builder().build()) {
      assertThat(client.runs().get("r1").send().updatedAt())
          .isEqualTo(Instant.parse("2026-01-05T09:00:00Z"));
    }
  }

  @Test
  void anUnknownMemberIsKept() {
    server.enqueue(json(200, RUN));
    try (var client = builder().build()) {
      assertThat(client.runs().get("r1").send().more()).containsKey("a_member_of_next_year");
    }
  }

  @Test
  void unknownRunStateIsKept() {
    server.enqueue(json(200, RUN.replace("QUEUED", "DREAMING")));
    try (var client = builder().build()) {
      assertThat(client.runs().get("r1").send().state()).isEqualTo(new RunStateValue("DREAMING"));
    }
  }

  @Test
  void nullIsDistinguishedFromAbsentInTheRawJson() {
    server.enqueue(json(200, RUN.replace("\"prompt\"", "\"started_at\": null, \"prompt\"")));
    try (var client = builder().build()) {
      var raw = client.runs().get("r1").withRawResponse().send();

      assertThat(raw.json().path("started_at").isNull()).isTrue();
      assertThat(raw.json().path("session_id").isMissingNode()).isTrue();
      assertThat(raw.parse().startedAt()).isNull();
    }
  }

  @Test
  void requestBuilderCanBeExtendedAndAcceptsUnknownMembers() throws Exception {
    server.enqueue(json(200, CREATED));
    var first = CreateRun.builder().prompt("fix it").build();
    var second = first.toBuilder().title("Fix").more(Map.of("x", NullNode.instance)).build();
    try (var client = builder().build()) {
      client.runs().create(second).send();
    }

    assertThat(first.title()).isNull();
    assertThat(requireNonNull(server.takeRequest().getBody()).utf8())
        .isEqualTo("{\"prompt\":\"fix it\",\"title\":\"Fix\",\"x\":null}");
  }
}
