package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Attachment;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.testkit.LocalSlack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// The surface with a Slack that we did not write, over real sockets.
@Tag("slow")
class SlackSurfaceOnLocalSlackTest {
  private final List<WebhookResult> receptions = new CopyOnWriteArrayList<>();
  private HttpServer door;
  private LocalSlack slack;
  private SlackSurface surface;

  @BeforeEach
  void start() throws IOException {
    door = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    door.createContext("/", this::receive);
    slack =
        LocalSlack.start(
            URI.create(
                "http://127.0.0.1:" + door.getAddress().getPort() + SlackConfig.EVENTS_PATH));
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
    var webhookResult =
        surface.receive(
            new RawRequest(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath(),
                headers,
                exchange.getRequestBody().readAllBytes(),
                Instant.now()));
    receptions.add(webhookResult);
    var body = webhookResult.reply().body().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", webhookResult.reply().contentType());
    exchange.sendResponseHeaders(
        webhookResult.reply().status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private List<Delivery> deliveries() {
    return receptions.stream()
        .filter(WebhookResult.Accepted.class::isInstance)
        .map(it -> ((WebhookResult.Accepted) it).delivery())
        .toList();
  }

  private List<JsonNode> channel() {
    return slack.messages(LocalSlack.CHANNEL);
  }

  private static Notice notice(String id, Delivery delivery, Update update, int tries) {
    return new Notice(
        new NoticeId(id),
        delivery.conversation(),
        update,
        delivery.origin(),
        delivery.arrivedAt(),
        tries);
  }

  private static Posting.Posted posted(Posting posting) {
    assertThat(posting).isInstanceOf(Posting.Posted.class);
    return (Posting.Posted) posting;
  }

  private Delivery startedThread() {
    slack.command(LocalSlack.CHANNEL, LocalSlack.ANN, "/agent", "fix the flaky test");
    var delivery = deliveries().getFirst();
    return delivery.movedTo(posted(surface.threads().open(delivery, false)).conversation());
  }

  @Test
  void listedMessagesHaveTheMeaningOfTheDeliveredOnes() {
    var thread = startedThread();
    var root = SlackPlace.of(thread.conversation()).thread();
    slack.reply(LocalSlack.CHANNEL, root, LocalSlack.BOB, "add a test");
    slack.reply(LocalSlack.CHANNEL, root, LocalSlack.ANN, "stop");
    slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "<@" + LocalSlack.BOT + "> fix it");
    slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "lunch?");
    await().until(() -> meanings(deliveries()).size() == 4);

    var missedDeliveries =
        surface.missed().since(Instant.now().minusSeconds(60), List.of(thread.conversation()));

    assertThat(missedDeliveries).isInstanceOf(MissedDeliveries.Listed.class);
    var listed =
        ((MissedDeliveries.Listed) missedDeliveries)
            .all().stream().map(MissedDeliveries.ListedDelivery::delivery).toList();
    var delivered = deliveries().stream().filter(each -> !each.origin().opensThread()).toList();
    assertThat(meanings(listed)).isEqualTo(meanings(delivered)).hasSize(3);
    assertThat(listed)
        .extracting(Delivery::intent)
        .containsExactlyElementsOf(
            delivered.stream()
                .collect(
                    Collectors.toMap(
                        Delivery::meaning, Delivery::intent, (a, _) -> a, LinkedHashMap::new))
                .values());
    assertThat(
            surface.missed().since(Instant.now().plusSeconds(60), List.of(thread.conversation())))
        .isEqualTo(MissedDeliveries.Listed.NOTHING);
  }

  private static Set<String> meanings(List<Delivery> deliveries) {
    return deliveries.stream()
        .map(Delivery::meaning)
        .collect(Collectors.toCollection(LinkedHashSet::new));
  }

  @Test
  void retriedCommandOpensOneThread() {
    slack.command(LocalSlack.CHANNEL, LocalSlack.ANN, "/agent", "fix the flaky test");
    var delivery = deliveries().getFirst();
    assertThat(delivery.intent()).isEqualTo(new Intent.Start(Request.of("fix the flaky test")));

    var opened = posted(surface.threads().open(delivery, false));
    var again = posted(surface.threads().open(delivery, true));

    assertThat(again).isEqualTo(opened);
    assertThat(channel())
        .extracting(it -> it.path("text").asText())
        .containsOnlyOnce("<@U0ANN> asked: fix the flaky test")
        .contains("On it. Watch the thread in this channel.");
  }

  @Test
  void aStatusIsPostedOnceAndThenEdited() {
    var thread = startedThread();
    var status =
        SlackUpdates.status(SlackUpdates.running().message("reading"), Duration.ofSeconds(5));

    var card = posted(surface.post(notice("n1", thread, status, 0), null)).ref();
    assertThat(posted(surface.post(notice("n1", thread, status, 1), null)).ref()).isEqualTo(card);
    var edit = SlackUpdates.status(SlackUpdates.done(), Duration.ofSeconds(200));
    assertThat(posted(surface.post(notice("n2", thread, edit, 0), card)).ref()).isEqualTo(card);

    assertThat(channel())
        .filteredOn(it -> it.has("thread_ts"))
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.path("text").asText())
                  .startsWith("✅ *Finished*")
                  .endsWith("3 min 20 s");
              assertThat(it.path("blocks").toString()).doesNotContain("cancel_run");
            });
  }

  @Test
  void resultPostIsFoundAgainOnARetry() {
    var thread = startedThread();
    var end =
        new Update.Succeeded(
            SlackUpdates.done().run(),
            SlackUpdates.ANN,
            SlackUpdates.SINCE,
            SlackUpdates.SINCE.plusSeconds(200));

    var first = posted(surface.post(notice("end", thread, end, 0), null));
    var second = posted(surface.post(notice("end", thread, end, 1), null));

    assertThat(second).isEqualTo(first);
    assertThat(channel()).filteredOn(it -> it.has("thread_ts")).hasSize(1);
  }

  @Test
  void theStopButtonOfTheCardStopsItsRun() {
    var thread = startedThread();
    var status = SlackUpdates.status(SlackUpdates.running(), Duration.ZERO);
    var card =
        SlackPlace.Message.of(posted(surface.post(notice("n1", thread, status, 0), null)).ref());

    slack.press(LocalSlack.CHANNEL, card.ts(), LocalSlack.BOB, "cancel_run");

    var pressed = deliveries().getLast();
    assertThat(pressed.intent())
        .isEqualTo(
            new Intent.Cancel(
                Optional.of(new RunId("0190e6a1-9f50-7c3e-8a43-000000000001")), Optional.empty()));
    assertThat(pressed.conversation()).isEqualTo(thread.conversation());
    assertThat(pressed.actor()).isEqualTo(new Actor(LocalSlack.BOB, "bob"));
  }

  @Test
  void bothEventsOfAMentionHaveTheSameMeaning() {
    slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "<@U0RUNNEL> fix it");

    assertThat(deliveries()).hasSize(2);
    assertThat(deliveries())
        .extracting(Delivery::meaning)
        .containsOnly(deliveries().getFirst().meaning());
    assertThat(deliveries()).extracting(Delivery::id).doesNotHaveDuplicates();
  }

  @Test
  void directMessageIsAddressedToUs() {
    var direct = slack.directChannel(LocalSlack.ANN);

    slack.message(direct, LocalSlack.ANN, "why is the build red?");

    assertThat(deliveries()).singleElement().matches(Delivery::addressed);
  }

  @Test
  void backgroundContainsTheThreadsMessagesOfPeople() {
    var root = slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "the build is red");
    slack.reply(LocalSlack.CHANNEL, root, LocalSlack.BOB, "since <@U0ANN> &amp; I merged");
    slack.reply(LocalSlack.CHANNEL, root, LocalSlack.ANN, "<@U0RUNNEL> fix it");
    var mention = deliveries().getLast();
    var status = SlackUpdates.status(SlackUpdates.running(), Duration.ZERO);
    surface.post(notice("n1", mention, status, 0), null);
    slack.reply(LocalSlack.CHANNEL, root, LocalSlack.ANN, "<@U0RUNNEL> and the docs");

    assertThat(surface.background().read(deliveries().getLast()).messages())
        .extracting(Background.Message::author, Background.Message::text)
        .containsExactly(
            tuple("ann", "the build is red"),
            tuple("bob", "since @ann & I merged"),
            tuple("ann", "@runnel fix it"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aReactionThatIsSetStartsARunAboutItsMessageInTheThread(boolean isReply) {
    surface.close();
    var settings = new HashMap<>(slack.settings());
    settings.put("SLACK_START_REACTION", "robot_face");
    surface = SlackSurfaces.of(SlackConfig.from(settings).orElseThrow(), InstantSource.system());
    surface.start();
    var root = slack.message(LocalSlack.CHANNEL, LocalSlack.BOB, "the build is red");
    var reply = slack.reply(LocalSlack.CHANNEL, root, LocalSlack.BOB, "since noon");
    var meant = isReply ? reply : root;
    slack.react(LocalSlack.CHANNEL, meant, LocalSlack.BOB, "eyes");
    slack.react(LocalSlack.CHANNEL, meant, LocalSlack.ANN, "robot_face");

    var request = deliveries().getLast();
    assertThat(request.actor().id()).isEqualTo(LocalSlack.ANN);
    assertThat(request.addressed()).isTrue();
    assertThat(request.intent())
        .isEqualTo(
            new Intent.Say(
                new Request(
                    "Act on the message that was written here at " + SlackPlace.at(meant) + ".",
                    RunOptions.NONE.withTitle(Optional.of("Act on this message")))));
    var opened = posted(surface.threads().open(request, false));

    assertThat(SlackPlace.of(opened.conversation()).thread()).isEqualTo(root);
    assertThat(surface.background().read(request.movedTo(opened.conversation())).messages())
        .extracting(Background.Message::text)
        // The request itself may follow: the clock of this Slack is not ours.
        .startsWith("the build is red", "since noon");
  }

  @Test
  void lastChannelMessagesAreIncludedOnlyIfConfigured() {
    slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "an old one");
    slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "the build is red");
    var other = slack.message(LocalSlack.CHANNEL, LocalSlack.BOB, "since noon");
    slack.reply(LocalSlack.CHANNEL, other, LocalSlack.BOB, "in a thread");
    slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "<@U0RUNNEL> find out why");
    var mention = deliveries().getLast();
    slack.message(LocalSlack.CHANNEL, LocalSlack.BOB, "after the request");
    assertThat(surface.background().read(mention)).isEqualTo(Background.NONE);

    var settings = new HashMap<>(slack.settings());
    settings.put("SLACK_CONTEXT", LocalSlack.CHANNEL + "=2");
    try (var open =
        SlackSurfaces.of(SlackConfig.from(settings).orElseThrow(), InstantSource.system())) {
      open.start();
      var background = open.background().read(mention);

      assertThat(background.kind()).isEqualTo("Slack channel #dev");
      assertThat(background.messages())
          .extracting(Background.Message::author, Background.Message::text)
          .containsExactly(tuple("ann", "the build is red"), tuple("bob", "since noon"));
    }
  }

  private static final byte[] PICTURE =
      "no picture, but nobody looks".getBytes(StandardCharsets.UTF_8);

  @Test
  void picturesOfTheThreadAndTheRequestAreAttached() {
    var root = slack.share(LocalSlack.CHANNEL, "", LocalSlack.ANN, "it is red", "red.png", PICTURE);
    slack.share(LocalSlack.CHANNEL, root, LocalSlack.BOB, "the log", "log.txt", PICTURE);
    slack.share(
        LocalSlack.CHANNEL, root, LocalSlack.ANN, "<@U0RUNNEL> fix it", "more.png", PICTURE);
    var mention = deliveries().getLast();

    var background = surface.background().read(mention);

    assertThat(mention.intent().agentRequest().orElseThrow().text())
        .startsWith("fix it\n\n[Attached file: more.png, image/png, 1 KB, http");
    assertThat(background.kind()).isEqualTo("Slack thread in #dev");
    assertThat(background.attachments())
        .extracting(Attachment::name, Attachment::type)
        .containsExactly(tuple("more.png", "image/png"), tuple("red.png", "image/png"));
    assertThat(Base64.getDecoder().decode(background.attachments().getFirst().base64()))
        .isEqualTo(PICTURE);
    assertThat(background.messages())
        .extracting(Background.Message::text)
        .satisfiesExactly(
            it -> assertThat(it).startsWith("it is red\n[Attached file: red.png, image/png"),
            it -> assertThat(it).startsWith("the log\n[Attached file: log.txt, text/plain"));
  }

  @Test
  void pictureOfAFirstMessageIsAttached() {
    slack.share(LocalSlack.CHANNEL, "", LocalSlack.ANN, "<@U0RUNNEL>", "red.png", PICTURE);
    var mention = deliveries().getLast();

    assertThat(mention.intent().agentRequest().orElseThrow().text())
        .startsWith("Look at the attached file.\n\n[Attached file: red.png");
    assertThat(surface.background().read(mention).attachments())
        .extracting(Attachment::name)
        .containsExactly("red.png");
  }

  @Test
  void anAnswerThatIsTooLongIsAFileBelowItOnce() {
    var thread = startedThread();
    var answer = "A line of the answer.\n".repeat(2_000);
    var end = SlackUpdates.succeeded(answer);

    var first = posted(surface.post(notice("end", thread, end, 0), null));
    var second = posted(surface.post(notice("end", thread, end, 1), null));

    assertThat(second).isEqualTo(first);
    var replies = channel().stream().filter(it -> it.has("thread_ts")).toList();
    assertThat(replies).hasSize(2);
    assertThat(replies.getFirst().path("blocks").toString())
        .contains("The whole answer is in the file below.");
    assertThat(replies.getLast().at("/files/0/title").asText()).isEqualTo("The whole answer");
    assertThat(replies.getLast().at("/files/0/size").asInt()).isEqualTo(answer.length());
  }

  @Test
  void aFileOfTheAgentIsUploadedToTheThreadOnce(@TempDir Path folder) throws IOException {
    var thread = startedThread();
    var run = SlackUpdates.succeeded("Done").run();
    var file = new RunFile("f1", "shot.png", "image/png", PICTURE.length, "", false);
    var made = new Update.FileMade(run, new Actor(LocalSlack.ANN, "ann"), file, 1);

    var picture = Files.write(folder.resolve("copy"), PICTURE);
    surface.files().upload(notice("file", thread, made, 0), picture);
    surface.files().upload(notice("file", thread, made, 1), picture);

    var replies = channel().stream().filter(it -> it.has("thread_ts")).toList();
    assertThat(replies).hasSize(1);
    assertThat(replies.getFirst().at("/files/0/title").asText()).isEqualTo("shot.png");
    assertThat(replies.getFirst().at("/files/0/size").asInt()).isEqualTo(PICTURE.length);
  }

  @Test
  void aPrivateAnswerIsSeenByItsPersonOnly() {
    slack.command(LocalSlack.CHANNEL, LocalSlack.ANN, "/agent", "list");
    var delivery = deliveries().getFirst();
    var told = new Update.Listed(new Actor(LocalSlack.ANN, "ann"), List.of());

    posted(surface.post(notice("n1", delivery, told, 0), null));

    assertThat(channel())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.path("ephemeral_to").asText()).isEqualTo(LocalSlack.ANN);
              assertThat(it.path("text").asText()).startsWith("There are no runs here yet.");
            });
  }

  @Test
  void receiptIsShownAsAReaction() {
    var ts = slack.message(LocalSlack.CHANNEL, LocalSlack.ANN, "<@U0RUNNEL> fix it");
    var mention = deliveries().getFirst();
    var received = new Update.Received(new PostRef("C0DEV/" + ts));

    posted(surface.post(notice("n1", mention, received, 0), null));
    posted(surface.post(notice("n1", mention, received, 1), null));

    assertThat(channel().getFirst().path("reactions").toString()).contains("eyes");
  }

  @Test
  void postToADeletedChannelIsUndeliverable() {
    var gone = new Conversation(SlackPlace.SURFACE, "T0ACME/C0GONE/1795240915.000008");
    var told = new Update.Message(SlackUpdates.ANN, "Passed on.", false);

    assertThat(
            surface.post(
                new Notice(new NoticeId("n1"), gone, told, Origin.NONE, Instant.now(), 0), null))
        .isInstanceOf(Posting.Undeliverable.class);
  }
}
