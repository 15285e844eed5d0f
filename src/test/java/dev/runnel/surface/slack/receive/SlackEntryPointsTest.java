package dev.runnel.surface.slack.receive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.model.SlackFormNote;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackReplyTo;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Shortcuts, buttons, the Home tab, and forms that were filled in, as Slack sends them.
class SlackEntryPointsTest {
  private static final Conversation HOME =
      new Conversation(SlackPlace.SURFACE, "T0ACME/U0ANN/~home");
  private static final String ADDRESS = "http://127.0.0.1:3900/_hooks/response/1";

  private final SlackSurface surface =
      SlackSurfaces.of(SlackRequests.CONFIG, InstantSource.system());

  @AfterEach
  void close() {
    surface.close();
  }

  private WebhookResult receive(RawRequest request) {
    return surface.receive(request);
  }

  private Delivery delivery(RawRequest request) {
    var webhookResult = receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    assertThat(webhookResult.reply().status()).isEqualTo(200);
    assertThat(webhookResult.reply().body()).isEmpty();
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  private Delivery delivery(String golden) {
    return delivery(SlackRequests.golden(golden));
  }

  private static RawRequest changed(String golden, String what, String by) {
    var body = SlackRequests.body(SlackRequests.golden(golden));
    assertThat(body).contains(encoded(what));
    return SlackRequests.signed(body.replace(encoded(what), encoded(by)));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private static SlackReplyTo replyTo(Delivery delivery) {
    return SlackReplyTo.of(delivery.origin().replyTo());
  }

  @Nested
  class AShortcut {
    @Test
    void messageShortcutOpensAFormForItsThread() {
      var delivery = delivery("message-shortcut");

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Ask(
                  new Question.Compose(
                      Optional.of(
                          new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240900.000100")),
                      "the checkout test fails since <yesterday>\n"
                          + "see run 7 (https://ci.example.com/7)")));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/~form-3.4.msg");
      assertThat(delivery.actor().id()).isEqualTo("U0ANN");
      assertThat(delivery.origin().message().orElseThrow().value())
          .isEqualTo("C0DEV/1795240910.000300");
      assertThat(replyTo(delivery))
          .isEqualTo(new SlackReplyTo(Optional.of("3.4.msg"), Optional.of(ADDRESS)));
    }

    @Test
    void messageShortcutOutsideAThreadMeansAThreadBelowTheMessage() {
      var delivery =
          delivery(changed("message-shortcut", "\"thread_ts\":\"1795240900.000100\",", ""));

      assertThat(((Intent.Ask) delivery.intent()).question())
          .isInstanceOfSatisfying(
              Question.Compose.class,
              it ->
                  assertThat(it.thread().orElseThrow().key())
                      .isEqualTo("T0ACME/C0DEV/1795240910.000300"));
    }

    @Test
    void globalShortcutOpensAFormThatAsksForAPlace() {
      var delivery = delivery("global-shortcut");

      assertThat(delivery.intent())
          .isEqualTo(new Intent.Ask(new Question.Compose(Optional.empty(), "")));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/U0ANN/~form-3.4.global");
      assertThat(replyTo(delivery).trigger()).contains("3.4.global");
    }

    @ParameterizedTest
    @CsvSource({
      "message-shortcut, ask_about_message",
      "global-shortcut, ask_agent",
    })
    void unknownShortcutIsIgnored(String golden, String name) {
      var webhookResult = receive(changed(golden, name, "somebody_elses"));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().status()).isEqualTo(200);
    }
  }

  @Nested
  class TheHomeTab {
    @Test
    void openedHomeTabAsksForTheHomeView() {
      var delivery = delivery("app-home-opened");

      assertThat(delivery.intent()).isEqualTo(new Intent.Ask(new Question.Home()));
      assertThat(delivery.conversation()).isEqualTo(HOME);
      assertThat(delivery.id().value()).isEqualTo("slack:EvMWQ037JT58");
    }

    @Test
    void openedMessagesTabIsIgnored() {
      var body =
          SlackRequests.body(SlackRequests.golden("app-home-opened"))
              .replace("\"tab\":\"home\"", "\"tab\":\"messages\"");

      assertThat(receive(SlackRequests.signed(body))).isInstanceOf(WebhookResult.Answered.class);
    }

    @Test
    void stopButtonOfTheHomeTabCancelsTheRun() {
      var delivery = delivery("home-button-stop");

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Cancel(
                  Optional.of(new RunId("0190e6a1-9f50-7c3e-8a43-000000000001")),
                  Optional.empty()));
      assertThat(delivery.conversation()).isEqualTo(HOME);
      assertThat(delivery.origin().home()).contains(HOME);
      // Only what comes from a place moves to the run's thread.
      assertThat(delivery.origin().replyTo()).isPresent();
    }

    @Test
    void homeTabButtonsRetryStartAndChangeDefaults() {
      assertThat(delivery(button("home_retry_run")).intent()).isInstanceOf(Intent.Retry.class);
      assertThat(delivery(button("home_new_run")).intent())
          .isEqualTo(new Intent.Ask(new Question.Compose(Optional.empty(), "")));
      var edit = delivery(button("home_edit_workspace"));
      assertThat(edit.intent()).isEqualTo(new Intent.Ask(new Question.Edit(Level.WORKSPACE)));
      assertThat(edit.origin().home()).contains(HOME);
      assertThat(replyTo(edit).trigger()).contains("3.4.home");
    }

    @Test
    void linkButtonOfTheHomeTabIsIgnored() {
      assertThat(receive(button("home_open_session"))).isInstanceOf(WebhookResult.Answered.class);
    }

    private RawRequest button(String action) {
      return changed("home-button-stop", "home_cancel_run", action);
    }
  }

  @Test
  void buttonUnderTheDefaultsOpensTheirForm() {
    var delivery = delivery("config-button");

    assertThat(delivery.intent()).isEqualTo(new Intent.Ask(new Question.Edit(Level.HERE)));
    assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/~form-3.4.config");
    assertThat(delivery.origin().home()).isEmpty();
  }

  @Nested
  class AQuestionOfARun {
    private static final AskedQuestion ASKED =
        AskedQuestion.of(new RunId("0190e6a1-9f50-7c3e-8a43-000000000001"), "Which one?");

    @Test
    void choiceButtonAnswersTheQuestion() {
      var delivery = delivery(button("answer_1", ASKED.value() + "\\nUse <the> queue"));

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.SayTo(ASKED.run(), Request.of("Use <the> queue"), Optional.of(ASKED)));
      assertThat(delivery.addressed()).isTrue();
      assertThat(delivery.conversation().key()).startsWith("T0ACME/C0DEV/");
    }

    @Test
    void otherAnswerButtonAsksForAForm() {
      var delivery = delivery(button("answer_other", ASKED.value()));

      assertThat(((Intent.Ask) delivery.intent()).question())
          .isInstanceOfSatisfying(
              Question.Compose.class,
              it -> {
                assertThat(it.answers()).contains(ASKED);
                assertThat(it.thread().orElseThrow().key()).startsWith("T0ACME/C0DEV/");
              });
      assertThat(replyTo(delivery).trigger()).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Use the queue", "0123 run\\nyes", "0190e6a1-9f50\\n"})
    void buttonWithoutAQuestionIsIgnored(String value) {
      assertThat(receive(button("answer_0", value))).isInstanceOf(WebhookResult.Answered.class);
    }

    @Test
    void formAnswersTheQuestion() {
      var note =
          new SlackFormNote(
              "C0DEV",
              "1795240900.000100",
              "",
              "",
              Optional.of(ADDRESS),
              false,
              Optional.empty(),
              Optional.of(ASKED));
      var body = SlackRequests.body(SlackRequests.golden("ask-about-submission"));
      var begin = body.indexOf(encoded("\"private_metadata\":\""));
      var end = body.indexOf(encoded("}\","), begin) + encoded("}\",").length();
      var delivery =
          delivery(
              SlackRequests.signed(
                  body.substring(0, begin)
                      + encoded(
                          "\"private_metadata\":\"" + note.json().replace("\"", "\\\"") + "\",")
                      + body.substring(end)));

      assertThat(delivery.intent())
          .isEqualTo(new Intent.SayTo(ASKED.run(), Request.of("why?"), Optional.of(ASKED)));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240900.000100");
      assertThat(delivery.origin().opensThread()).isFalse();
    }

    private RawRequest button(String action, String value) {
      var body = SlackRequests.body(SlackRequests.golden("block-actions-cancel"));
      return SlackRequests.signed(
          body.replace("cancel_run", action)
              .replace("0190e6a1-9f50-7c3e-8a43-000000000001", encoded(value)));
    }
  }

  @Nested
  class AFormToAskWith {
    @Test
    void askFormStartsARunWithItsFields() {
      var delivery = delivery("ask-submission");

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Start(
                  new Request(
                      "fix the flaky checkout test",
                      new RunOptions(
                          Optional.empty(),
                          Optional.empty(),
                          Optional.of("fast"),
                          Optional.empty(),
                          Optional.empty(),
                          Optional.empty(),
                          Optional.empty()))));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0OPS/~V0FORM");
      assertThat(delivery.origin().opensThread()).isTrue();
      assertThat(delivery.origin().home()).contains(HOME);
      assertThat(replyTo(delivery).address()).contains(ADDRESS);
      assertThat(delivery.addressed()).isTrue();
    }

    @Test
    void resentAskFormIsTheSameDelivery() {
      var again = delivery(changed("ask-submission", "3.4.sub", "9.9.again"));

      assertThat(again.id()).isEqualTo(delivery("ask-submission").id());
      assertThat(again.meaning()).isEqualTo(delivery("ask-submission").meaning());
    }

    @Test
    void optionsInTheTextOverrideTheFields() {
      var delivery =
          delivery(
              changed(
                  "ask-submission",
                  " fix the flaky checkout test ",
                  "--model deep fix it --title Checkout"));

      assertThat(delivery.intent().agentRequest().orElseThrow().text()).isEqualTo("fix it");
      assertThat(delivery.intent().agentRequest().orElseThrow().options().model()).contains("deep");
      assertThat(delivery.intent().agentRequest().orElseThrow().options().title())
          .contains("Checkout");
    }

    @ParameterizedTest
    @ValueSource(strings = {"cancel", "list", "help", "status"})
    void askFormTreatsACommandWordAsARequest(String verb) {
      var delivery = delivery(changed("ask-submission", " fix the flaky checkout test ", verb));

      assertThat(delivery.intent()).isInstanceOf(Intent.Start.class);
      assertThat(delivery.intent().agentRequest().orElseThrow().text()).isEqualTo(verb);
    }

    @Test
    void formAboutAMessageQuotesItInItsThread() {
      var delivery = delivery("ask-about-submission");

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Say(
                  Request.of(
                      """
                      why?

                      This is about the message:
                      > the checkout test fails
                      > see run 7\
                      """)));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/1795240900.000100");
      assertThat(delivery.origin().opensThread()).isTrue();
      assertThat(replyTo(delivery).address()).contains(ADDRESS);
    }

    @ParameterizedTest
    @CsvSource({
      "' fix the flaky checkout test ', '  ', prompt, what the agent should do",
      "' fix the flaky checkout test ', '--modle fast fix it', prompt, '--modle'",
      "'\"selected_conversation\":\"C0OPS\"', '\"selected_conversation\":null', channel, Choose the"
          + " channel",
      "'\"id\":\"V0FORM\"', '\"id\":7', prompt, Please try again",
    })
    void invalidAskFormStaysOpenWithErrors(String what, String by, String block, String words) {
      var webhookResult = receive(changed("ask-submission", what, by));

      assertThat(webhookResult).isInstanceOf(WebhookResult.Answered.class);
      assertThat(webhookResult.reply().status()).isEqualTo(200);
      assertThat(webhookResult.reply().body())
          .startsWith("{\"response_action\":\"errors\",\"errors\":{\"" + block + "\":\"")
          .contains(words);
    }
  }

  @Nested
  class AFormForDefaults {
    @Test
    void defaultsFormSendsOnlyChangedValues() {
      var delivery = delivery("defaults-submission");

      assertThat(delivery.intent())
          .isEqualTo(
              new Intent.Ask(
                  new Question.ConfigureAll(
                      List.of(
                          new Question.Configure("model", Optional.empty(), Level.HERE),
                          new Question.Configure("skill", Optional.of("review"), Level.HERE)))));
      assertThat(delivery.conversation().key()).isEqualTo("T0ACME/C0DEV/~form-V0FORM");
      assertThat(replyTo(delivery).address()).contains(ADDRESS);
    }

    @Test
    void unchangedDefaultsFormOnlyCloses() {
      var body =
          SlackRequests.body(changed("defaults-submission", "\"review\"", "null"))
              .replace(
                  encoded("\"model\":{\"value\":{\"type\":\"plain_text_input\",\"value\":null}}"),
                  encoded(
                      "\"model\":{\"value\":{\"type\":\"plain_text_input\",\"value\":\"fast\"}}"));

      assertThat(receive(SlackRequests.signed(body))).isInstanceOf(WebhookResult.Answered.class);
    }

    @Test
    void defaultsFormWithoutALevelStaysOpen() {
      var webhookResult = receive(changed("defaults-submission", "HERE", "MARS"));

      assertThat(webhookResult.reply().body()).contains("\"errors\":{\"env\":\"Slack did not send");
    }
  }
}
