package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.port.Surface;
import dev.runnel.json.Projection;
import dev.runnel.surface.kit.WebhookBody;
import dev.runnel.surface.tracker.Tracker;
import dev.runnel.surface.tracker.TrackerSurface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// What every surface promises, whatever its platform.
public interface SurfaceContract {
  /// What the platform may say to a call, for [#postWhen(Answer)].
  enum Answer {
    TAKEN,
    RATE_LIMITED,
    DOWN,
    GONE
  }

  /// A real delivery, cleaned, and what it means.
  record Golden(String name, RawRequest request, Intent intent) {}

  Surface surface();

  /// Signed and fresh; one per kind of delivery that is work.
  List<Golden> golden();

  /// A request with this body, signed as the platform signs.
  RawRequest signed(byte[] body);

  /// The same request, its proof of origin taken away.
  RawRequest unsigned(RawRequest request);

  /// Whether the proof says something of the body. By a password alone it does not.
  default boolean signsBody() {
    return true;
  }

  /// A post of Runnel coming back as a delivery.
  RawRequest ownPost();

  /// What becomes of a post of any update when the platform answers so.
  Posting postWhen(Answer answer);

  @TestFactory
  default Stream<DynamicTest> aGoldenDeliveryParsesToItsIntent() {
    return golden().stream()
        .map(
            each ->
                dynamicTest(
                    each.name(),
                    () ->
                        assertThat(surface().receive(each.request()))
                            .isInstanceOfSatisfying(
                                WebhookResult.Accepted.class,
                                accepted -> {
                                  assertThat(accepted.delivery().intent()).isEqualTo(each.intent());
                                  assertThat(accepted.delivery().conversation().surface())
                                      .isEqualTo(surface().id());
                                  assertThat(accepted.reply().status()).isBetween(200, 299);
                                })));
  }

  @TestFactory
  default Stream<DynamicTest> aResendHasTheSameIdAndTheSameMeaning() {
    return golden().stream()
        .map(
            each ->
                dynamicTest(
                    each.name(),
                    () -> {
                      var once = (WebhookResult.Accepted) surface().receive(each.request());
                      var again = (WebhookResult.Accepted) surface().receive(each.request());
                      assertThat(again.delivery().id()).isEqualTo(once.delivery().id());
                      assertThat(again.delivery().meaning()).isEqualTo(once.delivery().meaning());
                    }));
  }

  @TestFactory
  default Stream<DynamicTest> aChangedBodyIsNotBelieved() {
    return golden().stream()
        .filter(_ -> signsBody())
        .map(
            each ->
                dynamicTest(
                    each.name(),
                    () -> {
                      var body =
                          (new String(each.request().body(), StandardCharsets.UTF_8) + " ")
                              .getBytes(StandardCharsets.UTF_8);
                      var request = each.request();
                      assertRejected(
                          new RawRequest(
                              request.method(),
                              request.path(),
                              request.headers(),
                              body,
                              request.arrivedAt()));
                    }));
  }

  @TestFactory
  default Stream<DynamicTest> withoutAProofOfOriginNothingIsBelieved() {
    return golden().stream()
        .map(each -> dynamicTest(each.name(), () -> assertRejected(unsigned(each.request()))));
  }

  @Test
  default void aBodyThatCannotBeReadIsABadRequest() {
    for (var body : List.of("{", "[[[[", "\u0000\u0001", "")) {
      var webhookResult = surface().receive(signed(body.getBytes(StandardCharsets.UTF_8)));
      assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
      assertThat(webhookResult.reply().status()).isEqualTo(400);
    }
  }

  @TestFactory
  default Stream<DynamicTest> aHostileBodyIsRefused() {
    return Stream.of(
            "{\"issue\":[" + "{},".repeat(4_900_000 / 3) + "{}]}",
            "{\"x\":[" + "[],".repeat(4_900_000 / 3) + "{}]}",
            "{\"issue\":" + "[".repeat(64 * 1024),
            "{\"x\":".repeat(64 * 1024),
            "{\"" + "n".repeat(1024 * 1024) + "\":1}",
            "{\"type\":" + "9".repeat(100_000) + "}",
            "{\"x\":1." + "9".repeat(100_000) + "}")
        .map(
            body ->
                dynamicTest(
                    body.substring(0, 12),
                    () ->
                        assertThat(
                                surface()
                                    .receive(signed(body.getBytes(StandardCharsets.UTF_8)))
                                    .reply()
                                    .status())
                            .isEqualTo(400)));
  }

  @TestFactory
  default Stream<DynamicTest> aGoldenDeliveryMeansTheSameIfAllOfItIsRead() {
    return golden().stream()
        .filter(_ -> surface() instanceof TrackerSurface)
        .map(
            each ->
                dynamicTest(
                    each.name(),
                    () -> {
                      var field = TrackerSurface.class.getDeclaredField("tracker");
                      field.setAccessible(true);
                      var tracker = (Tracker<?>) field.get(surface());
                      var all = WebhookBody.json(each.request(), Projection.ALL);

                      assertThat(surface().receive(each.request()))
                          .isEqualTo(tracker.parse(each.request(), all));
                    }));
  }

  @Test
  default void ourOwnPostsHaveNoEffect() {
    assertThat(surface().receive(ownPost())).isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  default void acceptedPostHasAPlace() {
    assertThat(postWhen(Answer.TAKEN)).isInstanceOf(Posting.Posted.class);
  }

  @Test
  default void rateLimitPostponesThePostByItsDelay() {
    assertThat(postWhen(Answer.RATE_LIMITED))
        .isInstanceOfSatisfying(
            Posting.Later.class, later -> assertThat(later.after()).isPresent());
  }

  @Test
  default void platformOutagePostponesThePost() {
    assertThat(postWhen(Answer.DOWN)).isInstanceOf(Posting.Later.class);
  }

  @Test
  default void postToADeletedPlaceIsUndeliverable() {
    assertThat(postWhen(Answer.GONE)).isInstanceOf(Posting.Undeliverable.class);
  }

  private void assertRejected(RawRequest request) {
    var webhookResult = surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Rejected.class);
    assertThat(webhookResult.reply().status()).isEqualTo(401);
  }
}
