package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.runnel.testkit.SettableClock;
import io.javalin.http.Context;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SignedLinksTest {
  private static final String FILE = "artifact 1";

  private final SettableClock clock = new SettableClock();
  private final SignedLinks links = links("a key of sixteen letters");

  private SignedLinks links(String key) {
    return new SignedLinks(clock, key.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void signedLinkIsValidForFiveMinutes() {
    var request = request(links.of(FILE).query());

    clock.advance(Duration.ofMinutes(5).minusSeconds(1));
    assertThat(links.isValid(FILE, request)).isTrue();
    clock.advance(Duration.ofSeconds(1));
    assertThat(links.isValid(FILE, request)).isFalse();
  }

  @Test
  void signedLinkCannotBeExtended() {
    var query = links.of(FILE).query();
    clock.advance(Duration.ofHours(1));
    var later = links.of(FILE).query();

    assertThat(links.isValid(FILE, request(first(later) + "&" + second(query)))).isFalse();
  }

  @Test
  void signedLinkIsValidOnlyForItsFileAndService() {
    var request = request(links.of(FILE).query());

    assertThat(links.isValid("artifact 2", request)).isFalse();
    assertThat(links("another key of letters").isValid(FILE, request)).isFalse();
  }

  private static String first(String query) {
    return query.split("&", -1)[0];
  }

  private static String second(String query) {
    return query.split("&", -1)[1];
  }

  private static Context request(String query) {
    var request = mock(Context.class);
    for (var parameter : query.split("&", -1)) {
      var parts = parameter.split("=", -1);
      when(request.queryParam(parts[0])).thenReturn(parts[1]);
    }
    return request;
  }
}
