package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.wire.RunItem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PagesTest extends ClientFixture {
  private RunsClient client;

  @BeforeEach
  void build() {
    client = builder().build();
  }

  @AfterEach
  void close() {
    client.close();
  }

  @Test
  void allPagesAreReadWithTheSameQuery() throws Exception {
    server.enqueue(json(200, page("a,b", "c1")));
    server.enqueue(json(200, page("c", "c2")));
    server.enqueue(json(200, page("d", null)));

    var runs = client.runs().pages(ListRuns.ALL.limit(2)).items().map(RunItem::runId);

    assertThat(runs).containsExactly("a", "b", "c", "d");
    assertThat(server.takeRequest().getTarget()).endsWith("?limit=2");
    assertThat(server.takeRequest().getTarget()).endsWith("?limit=2&cursor=c1");
    assertThat(server.takeRequest().getTarget()).endsWith("?limit=2&cursor=c2");
  }

  @Test
  void cursorOptionSetsTheFirstPage() throws Exception {
    server.enqueue(json(200, page("a", "c2")));
    server.enqueue(json(200, page("b", null)));

    var pages = client.runs().pages(ListRuns.ALL).withOptions(it -> it.withQuery("cursor", "c1"));

    assertThat(pages.items().map(RunItem::runId)).containsExactly("a", "b");
    assertThat(server.takeRequest().getTarget()).endsWith("?cursor=c1");
    assertThat(server.takeRequest().getTarget()).endsWith("?cursor=c2");
  }

  @Test
  void pagesAreReadLazily() {
    server.enqueue(json(200, page("a", "c1")));

    assertThat(client.runs().pages(ListRuns.ALL).iterator().next().items()).hasSize(1);
    assertThat(server.getRequestCount()).isOne();
  }

  @Test
  void anEmptyPageEndsTheList() {
    server.enqueue(json(200, page("a", "c1")));
    server.enqueue(json(200, page("", "c2")));

    assertThat(client.runs().pages(ListRuns.ALL).items()).hasSize(1);
    assertThat(server.getRequestCount()).isEqualTo(2);
  }

  @Test
  void repeatedCursorIsAnError() {
    server.enqueue(json(200, page("a", "c1")));
    server.enqueue(json(200, page("b", "c2")));
    server.enqueue(json(200, page("a", "c1")));

    assertThatThrownBy(() -> client.runs().pages(ListRuns.ALL).items().toList())
        .isInstanceOf(RunsException.MalformedResponse.class);
    assertThat(server.getRequestCount()).isEqualTo(3);
  }
}
