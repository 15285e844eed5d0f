package dev.runnel.surface.slack;

import static dev.runnel.testkit.LocalSlack.ANN;
import static dev.runnel.testkit.LocalSlack.BOB;
import static dev.runnel.testkit.LocalSlack.CHANNEL;
import static dev.runnel.testkit.LocalSlack.permalink;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.testkit.LocalSlack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// The threads to which requests link, in a Slack that we did not write.
@Tag("slow")
class SlackLinkedThreadsTest {
  private static final String OTHER = "C0OPS";

  /// Private, with Ann.
  private static final String SECRET = "G0LEAD";

  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private HttpServer door;
  private LocalSlack slack;
  private SlackSurface surface;

  @BeforeEach
  void start() throws IOException {
    door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    door.createContext("/", this::receive);
    slack =
        LocalSlack.start(
            URI.create("http://127.0.0.1:" + door.getAddress().getPort() + SlackConfig.EVENTS_PATH),
            List.of(CHANNEL, OTHER, SECRET));
    surface =
        SlackSurfaces.of(SlackConfig.from(slack.settings()).orElseThrow(), InstantSource.system());
    surface.start();
    door.start();
  }

  @AfterEach
  void stop() {
    door.stop(0);
    if (slack != null) {
      surface.close();
      slack.close();
    }
  }

  private void receive(HttpExchange exchange) throws IOException {
    Map<String, String> headers = new HashMap<>();
    exchange
        .getRequestHeaders()
        .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.getFirst()));
    if (surface.receive(
            new RawRequest(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath(),
                headers,
                exchange.getRequestBody().readAllBytes(),
                Instant.now()))
        instanceof WebhookResult.Accepted(var delivery, _)) {
      deliveries.add(delivery);
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  /// Somebody mentions the bot.
  private Delivery mention(String channel, String user, String text) {
    slack.message(channel, user, "<@U0RUNNEL> " + text);
    return deliveries.getLast();
  }

  private Delivery command(String channel, String user, String text) {
    slack.command(channel, user, "/agent", text);
    var delivery = deliveries.getLast();
    var opened = (Posting.Posted) surface.threads().open(delivery, false);
    return delivery.movedTo(opened.conversation());
  }

  private List<LinkedConversation> linked(Delivery delivery) {
    return linked(delivery, delivery.conversation(), false);
  }

  private List<LinkedConversation> linked(
      Delivery delivery, Conversation audience, boolean isPublic) {
    var text = delivery.intent().agentRequest().map(Request::text).orElseThrow();
    return surface.background().links(delivery, text).stream()
        .map(link -> surface.background().linked(delivery, audience, isPublic, link))
        .toList();
  }

  private static boolean isShown(List<LinkedConversation> linked) {
    assertThat(linked).hasSize(1);
    return linked.getFirst() instanceof LinkedConversation.Shown;
  }

  private String thread(String channel) {
    var root = slack.message(channel, ANN, "the build is red");
    slack.reply(channel, root, BOB, "since <@U0ANN> &amp; I merged");
    return root;
  }

  @Test
  void mentionInAnotherChannelReadsTheLinkedThread() {
    var root = thread(OTHER);
    var mention = mention(CHANNEL, ANN, "fix <" + permalink(OTHER, root) + ">, please");
    slack.reply(OTHER, root, BOB, "after the request");

    var shown = (LinkedConversation.Shown) linked(mention).getFirst();

    assertThat(shown.link()).hasToString(permalink(OTHER, root));
    assertThat(shown.background().kind()).isEqualTo("Slack thread in #c0ops");
    assertThat(shown.background().messages())
        .extracting(Background.Message::author, Background.Message::text)
        .startsWith(tuple("ann", "the build is red"), tuple("bob", "since @ann & I merged"));
    assertThat(shown.message()).isEmpty();
  }

  @Test
  void theLinkOfAReplyNamesTheReplyInItsThread() {
    var root = thread(OTHER);
    var reply = slack.reply(OTHER, root, BOB, "it is the cache");
    var link = permalink(OTHER, reply) + "?thread_ts=" + root + "&amp;cid=" + OTHER;

    var shown =
        (LinkedConversation.Shown) linked(mention(CHANNEL, ANN, "fix <" + link + ">")).getFirst();

    assertThat(shown.message()).map(Background.Message::text).contains("it is the cache");
    assertThat(shown.background().messages())
        .extracting(Background.Message::text)
        .containsExactly("the build is red", "since @ann & I merged", "it is the cache");
  }

  @Test
  void linkIntoItsOwnThreadShowsOnlyTheMessage() {
    var root = thread(CHANNEL);
    var link = permalink(CHANNEL, root);
    slack.reply(CHANNEL, root, ANN, "<@U0RUNNEL> do what <" + link + "> says");

    var shown = (LinkedConversation.Shown) linked(deliveries.getLast()).getFirst();

    assertThat(shown.background().messages()).isEmpty();
    assertThat(shown.message()).map(Background.Message::text).contains("the build is red");
  }

  @Test
  void commandReadsTheLinkedThreadOfAPublicChannel() {
    var root = thread(OTHER);

    assertThat(isShown(linked(command(CHANNEL, BOB, "fix " + permalink(OTHER, root))))).isTrue();
  }

  @Test
  void aPrivateChannelIsReadInThatChannelAlone() {
    var link = permalink(SECRET, thread(SECRET));

    assertThat(isShown(linked(mention(SECRET, ANN, "fix " + link)))).isTrue();
    assertThat(isShown(linked(command(SECRET, ANN, "fix " + link)))).isTrue();
    assertThat(linked(mention(CHANNEL, ANN, "fix " + link)))
        .containsExactly(new LinkedConversation.Withheld(URI.create(link)));
    assertThat(linked(command(CHANNEL, ANN, "fix " + link)))
        .containsExactly(new LinkedConversation.Withheld(URI.create(link)));
  }

  @Test
  void privateChannelIsReadInDirectMessagesOfItsMembersOnly() {
    var link = permalink(SECRET, thread(SECRET));

    assertThat(isShown(linked(mention(slack.directChannel(ANN), ANN, "fix " + link)))).isTrue();
    assertThat(isShown(linked(mention(slack.directChannel(BOB), BOB, "fix " + link)))).isFalse();
  }

  @Test
  void directMessagesAreReadOnlyInTheSameConversation() {
    var direct = slack.directChannel(ANN);
    var link = permalink(direct, slack.message(direct, ANN, "between us"));

    assertThat(isShown(linked(mention(direct, ANN, "fix " + link)))).isTrue();
    assertThat(isShown(linked(mention(CHANNEL, ANN, "fix " + link)))).isFalse();
    assertThat(isShown(linked(mention(slack.directChannel(BOB), BOB, "fix " + link)))).isFalse();
  }

  @Test
  void privateThreadIsNotQuotedToARunElsewhere() {
    var mention = mention(SECRET, ANN, "fix " + permalink(SECRET, thread(SECRET)));
    var thread = new SlackPlace(LocalSlack.TEAM, CHANNEL, thread(CHANNEL)).conversation();
    var issue = new Conversation(new SurfaceId("github"), "acme/shop#7");

    assertThat(isShown(linked(mention, thread, false))).isFalse();
    assertThat(isShown(linked(mention.movedTo(thread), thread, false))).isFalse();
    assertThat(isShown(linked(mention, issue, false))).isFalse();
  }

  @Test
  void commandFromElsewhereReadsNoForeignPrivateChannel() {
    var link = permalink(SECRET, thread(SECRET));
    var there = new SlackPlace(LocalSlack.TEAM, SECRET, thread(SECRET)).conversation();
    var ofBob = command(CHANNEL, BOB, "fix " + link).movedTo(there);
    var ofAnn = command(CHANNEL, ANN, "fix " + link).movedTo(there);

    assertThat(isShown(linked(ofBob))).isFalse();
    assertThat(isShown(linked(ofAnn))).isTrue();
  }

  @Test
  void publicWorkGetsNoPrivateConversation() {
    var ofPrivate = mention(SECRET, ANN, "fix " + permalink(SECRET, thread(SECRET)));
    var ofPublic = mention(CHANNEL, ANN, "fix " + permalink(OTHER, thread(OTHER)));

    assertThat(isShown(linked(ofPrivate, ofPrivate.conversation(), true))).isFalse();
    assertThat(isShown(linked(ofPublic, ofPublic.conversation(), true))).isTrue();
  }

  @Test
  void senderWhoIsNoSlackPersonReadsNoLinkedConversation() {
    var mention = mention(CHANNEL, ANN, "fix " + permalink(OTHER, thread(OTHER)));

    assertThat(isShown(linked(mention.withActor(new Actor("watch:" + CHANNEL, "The watch")))))
        .isFalse();
    assertThat(isShown(linked(mention.withId(new DeliveryId("console:1"))))).isFalse();
  }

  @Test
  void theLinksInAQuotedMessageAreNotTheSenders() {
    var text = SlackQuote.join("fix it", "see " + permalink(OTHER, thread(OTHER)));

    assertThat(surface.background().links(mention(CHANNEL, ANN, "fix it"), text)).isEmpty();
  }

  @Test
  void missingMessagesAndForeignWorkspacesAreWithheld() {
    var root = thread(OTHER);
    for (var link :
        List.of(
            permalink(OTHER, "1700000000.000100"),
            permalink("C0NOWHERE", root),
            permalink(OTHER, root).replace("http://acme.slack.local", "https://other.slack.com"))) {
      assertThat(linked(mention(CHANNEL, ANN, "fix " + link)))
          .containsExactly(new LinkedConversation.Withheld(URI.create(link)));
    }
  }
}
