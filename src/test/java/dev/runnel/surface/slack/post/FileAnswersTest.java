package dev.runnel.surface.slack.post;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.surface.slack.ScriptedSlack;
import dev.runnel.surface.slack.SlackRequests;
import dev.runnel.surface.slack.SlackSurface;
import dev.runnel.surface.slack.SlackSurfaces;
import dev.runnel.surface.slack.SlackUpdates;
import dev.runnel.surface.slack.model.AnswerFile;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// An answer that is too long for a message, whatever Slack says on the way.
class FileAnswersTest {
  private static final Conversation THREAD =
      new Conversation(SlackPlace.SURFACE, "T0ACME/C0DEV/1795240915.000008");
  private static final NoticeId NOTICE = new NoticeId("the end");
  private static final SlackPost.Mark MARK = SlackPost.Mark.content(NOTICE.value());
  private static final String ANSWER = "A line of the answer.\n".repeat(2_000);
  private static final String IN_THE_FILE = "The whole answer is in the file below.";
  private static final String IN_THE_SESSION = "Read the rest in the run";

  private final ScriptedSlack slack = new ScriptedSlack();
  private final SlackSurface surface = SlackSurfaces.of(slack.config(), InstantSource.system());

  @BeforeEach
  void givesAddresses() {
    for (var i = 0; i < 4; i++) {
      slack.says(
          "files.getUploadURLExternal", upload(slack.apiUrl().resolve("/upload/bytes") + ""));
    }
  }

  @AfterEach
  void close() {
    surface.close();
    slack.close();
  }

  private static String upload(String address) {
    return "{'ok':true,'upload_url':'" + address + "','file_id':'F1'}";
  }

  private Posting post(int tries) {
    return surface.post(
        new Notice(
            NOTICE, THREAD, SlackUpdates.succeeded(ANSWER), Origin.NONE, SlackRequests.NOW, tries),
        null);
  }

  private List<String> methods() {
    return slack.calls().stream()
        .map(ScriptedSlack.Call::method)
        .filter(it -> !it.equals("auth.test"))
        .toList();
  }

  private static String thread(boolean withFile) {
    var message =
        "{'ts':'1795240916.000150','blocks':[{'type':'section','block_id':'%s','text':{'type':'mrkdwn','text':'x'}}]}"
            .formatted(MARK.value());
    var file =
        "{'ts':'1795240916.000160','files':[{'id':'F1','name':'%s'}]}"
            .formatted(AnswerFile.of(MARK, "").name());
    return "{'ok':true,'messages':[" + message + (withFile ? "," + file : "") + "]}";
  }

  @Test
  void fileIsUploadedBeforeTheMessageIsPosted() {
    assertThat(post(0))
        .isEqualTo(new Posting.Posted(new PostRef("C0DEV/1795240916.000200"), THREAD));

    assertThat(methods())
        .containsExactly(
            "files.getUploadURLExternal",
            "bytes",
            "chat.postMessage",
            "files.completeUploadExternal");
    assertThat(slack.calls("chat.postMessage").getFirst().field("blocks")).contains(IN_THE_FILE);
    var shared = slack.calls("files.completeUploadExternal").getFirst();
    assertThat(shared.field("channel_id")).isEqualTo("C0DEV");
    assertThat(shared.field("thread_ts")).isEqualTo("1795240915.000008");
    assertThat(shared.field("files")).contains("F1", "The whole answer");
  }

  @Test
  void retryFindsTheMessageAndItsFile() {
    slack.says("conversations.replies", thread(true));

    assertThat(post(1))
        .isEqualTo(new Posting.Posted(new PostRef("C0DEV/1795240916.000150"), THREAD));
    assertThat(methods()).containsExactly("conversations.replies");
  }

  @Test
  void messageWithALostFileGetsItsFileOnARetry() {
    slack.says("files.completeUploadExternal", ScriptedSlack.status(503));
    assertThat(post(0)).isInstanceOf(Posting.Later.class);
    slack.says("conversations.replies", thread(false));

    assertThat(post(1)).isInstanceOf(Posting.Posted.class);

    assertThat(slack.calls("chat.postMessage")).hasSize(1);
    assertThat(slack.calls("files.completeUploadExternal")).hasSize(2);
  }

  @Test
  void aFileThatSlackRefusesIsNamedWithTheReason() {
    try (var refusing = new ScriptedSlack();
        var there = SlackSurfaces.of(refusing.config(), InstantSource.system())) {
      refusing.refuses("files.getUploadURLExternal", "storage_limit_reached");
      var run = SlackUpdates.succeeded("Done").run();
      var file = new RunFile("f1", "shot.png", "image/png", 3, "", false);
      var made = new Update.FileMade(run, SlackUpdates.ANN, file, 1);

      var posting =
          there
              .files()
              .upload(
                  new Notice(NOTICE, THREAD, made, Origin.NONE, SlackRequests.NOW, 0),
                  Path.of("pom.xml"));

      assertThat(posting).isInstanceOf(Posting.Posted.class);
      assertThat(refusing.calls("chat.postMessage").getFirst().field("text"))
          .isEqualTo("Slack refused the file `shot.png` (`storage_limit_reached`).");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"missing_scope", "file_uploads_disabled", "storage_limit_reached"})
  void answerLinksToTheSessionIfSlackRefusesTheFile(String error) {
    try (var refusing = new ScriptedSlack();
        var there = SlackSurfaces.of(refusing.config(), InstantSource.system())) {
      refusing.refuses("files.getUploadURLExternal", error);

      there.post(
          new Notice(
              NOTICE, THREAD, SlackUpdates.succeeded(ANSWER), Origin.NONE, SlackRequests.NOW, 0),
          null);

      assertThat(refusing.calls("chat.postMessage"))
          .singleElement()
          .satisfies(
              it ->
                  assertThat(it.field("blocks"))
                      .contains(IN_THE_SESSION)
                      .doesNotContain("file below"));
    }
  }

  @Test
  void messageDoesNotMentionAFileThatSlackRefused() {
    slack.refuses("files.completeUploadExternal", "channel_not_found");

    assertThat(post(0)).isInstanceOf(Posting.Posted.class);

    var edit = slack.calls("chat.update").getFirst();
    assertThat(edit.field("ts")).isEqualTo("1795240916.000200");
    assertThat(edit.field("blocks")).contains(IN_THE_SESSION).doesNotContain("file below");
  }

  @Test
  void answerIsPostedWithoutItsFileAfterThreeFailedUploads() {
    for (var i = 0; i < 4; i++) {
      slack.says("bytes", ScriptedSlack.status(503));
    }

    for (var tries = 0; tries < 3; tries++) {
      assertThat(post(tries)).isInstanceOf(Posting.Later.class);
    }
    assertThat(slack.calls("chat.postMessage")).isEmpty();

    assertThat(post(3)).isInstanceOf(Posting.Posted.class);
    assertThat(slack.calls("chat.postMessage").getFirst().field("blocks")).contains(IN_THE_SESSION);
  }

  @Test
  void nothingIsSentToAnAddressThatIsNotSlacks() {
    try (var odd = new ScriptedSlack();
        var elsewhere = new ScriptedSlack();
        var there = SlackSurfaces.of(odd.config(), InstantSource.system())) {
      odd.says(
          "files.getUploadURLExternal", upload(elsewhere.apiUrl().resolve("/upload/bytes") + ""));

      there.post(
          new Notice(
              NOTICE, THREAD, SlackUpdates.succeeded(ANSWER), Origin.NONE, SlackRequests.NOW, 0),
          null);

      assertThat(elsewhere.calls()).isEmpty();
      assertThat(odd.calls("chat.postMessage")).hasSize(1);
    }
  }
}
