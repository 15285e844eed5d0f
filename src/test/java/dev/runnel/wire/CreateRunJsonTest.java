package dev.runnel.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.runnel.client.ClientJson;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// What creates a run, and what is said to it later.
public class CreateRunJsonTest {
  @Test
  public void everyMemberIsReadAndWrittenUnderItsName() throws Exception {
    var golden = Golden.tree("create-run");
    var run =
        CreateRun.builder()
            .prompt("Fix the flaky login test.")
            .config(AgentConfig.builder().name("tests").modelId("fast").build())
            .title("Fix the login test")
            .skill("team/app:fix-tests")
            .team(true)
            .agentIdentityUid("sa-1")
            .conversationId("9d2c3a10-0f5e-4a67-8d0b-2f6b1c9e7a55")
            .attachments(
                List.of(
                    Attachment.builder()
                        .fileName("screen.png")
                        .mimeType("image/png")
                        .data("iVBORw0K")
                        .more(Map.of("alt", TextNode.valueOf("the error")))
                        .build()))
            .parentRunId("7c1e9f3b-11d0-4f0e-9b6e-0d9a8c7b6a54")
            .interactive(false)
            .mode(RunMode.PLAN)
            .metadata(Map.of("ticket_id", "PAY-123", "empty", ""))
            .onBehalfOf("ada@team.example")
            .more(
                Map.of(
                    "a_member_of_next_year",
                    golden.path("a_member_of_next_year"),
                    "a_null_of_next_year",
                    NullNode.instance))
            .build();

    assertThat(ClientJson.tree(run)).isEqualTo(golden);
    assertThat(Golden.read("create-run", CreateRun.class)).isEqualTo(run);
    assertThat(run.toBuilder().build()).isEqualTo(run);
    Golden.isFull(run, "config.");
  }

  @Test
  public void createRunSurvivesARoundTrip() throws Exception {
    Golden.isLossless("create-run", CreateRun.class);
    Golden.isLossless("follow-up", FollowUpMessage.class);
  }

  @Test
  public void aMemberThatCannotBeReadCountsAsAbsentUnlessReadStrictly() throws Exception {
    Golden.oddMembersCountAsAbsent("create-run", CreateRun.class);
    Golden.oddMembersCountAsAbsent("follow-up", FollowUpMessage.class);
  }

  @Test
  public void attachmentsAreBase64() throws Exception {
    var image = Attachment.of("dot.png", "image/png", "héllo?>".getBytes(UTF_8));

    assertThat(ClientJson.tree(image).toString())
        .isEqualTo(
            "{\"file_name\":\"dot.png\",\"mime_type\":\"image/png\",\"data\":\"aMOpbGxvPz4=\"}");
    assertThat(image.toString()).doesNotContain("aMOp");
  }

  @ParameterizedTest
  @ValueSource(strings = {"file_name", "mime_type", "data"})
  public void attachmentRequiresNameTypeAndData(String member) throws IOException {
    var json = (ObjectNode) Golden.tree("create-run").at("/attachments/0");
    json.remove(member);

    assertThatThrownBy(() -> ClientJson.strict(json, Attachment.class))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(member);
  }

  @Test
  public void theBuilderOfAnAttachmentNamesWhatIsMissing() {
    var builder = Attachment.builder();
    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining("file_name");
    builder.fileName("a.png");
    assertThatIllegalArgumentException()
        .isThrownBy(builder::build)
        .withMessageContaining("mime_type");
    builder.mimeType("image/png");
    assertThatIllegalArgumentException().isThrownBy(builder::build).withMessageContaining("data");
  }

  @Test
  public void aRunNeedsAPromptASkillOrAConversation() {
    assertThat(CreateRun.builder().prompt(" ").title("Fix it").build().hasTask()).isFalse();
    assertThat(CreateRun.of("fix it").hasTask()).isTrue();
    assertThat(CreateRun.builder().skill("app:fix").build().hasTask()).isTrue();
    assertThat(CreateRun.builder().conversationId("c-1").build().hasTask()).isTrue();
    var bySpec = AgentConfig.builder().skillSpec("team/app:fix").build();
    assertThat(CreateRun.builder().config(bySpec).build().hasTask()).isTrue();
    var bySkills = AgentConfig.builder().skills(List.of("team/app:fix")).build();
    assertThat(CreateRun.builder().config(bySkills).build().hasTask()).isTrue();
    var none = AgentConfig.builder().skills(List.of()).build();
    assertThat(CreateRun.builder().config(none).build().hasTask()).isFalse();
  }

  @Test
  public void unsetFieldsAreNotSent() throws Exception {
    assertThat(ClientJson.tree(CreateRun.of("fix it")).toString())
        .isEqualTo("{\"prompt\":\"fix it\"}");
  }

  @Test
  public void emptyTextListsAndMapsAreSent() throws Exception {
    var run =
        CreateRun.builder()
            .prompt("fix it")
            .title("")
            .attachments(List.of())
            .metadata(Map.of())
            .build();

    assertThat(ClientJson.tree(run).toString())
        .isEqualTo("{\"prompt\":\"fix it\",\"title\":\"\",\"attachments\":[],\"metadata\":{}}");
  }

  @Test
  public void explicitNullIsSent() throws Exception {
    var run = CreateRun.builder().prompt("fix it").more(Map.of("mode", NullNode.instance)).build();

    assertThat(ClientJson.tree(run).toString()).isEqualTo("{\"prompt\":\"fix it\",\"mode\":null}");
  }

  @Test
  public void theImagesOfOldLibrariesCanBeSent() throws Exception {
    var images = ClientJson.tree("[{\"mime_type\":\"image/png\",\"data\":\"iVBORw0K\"}]");
    var run = CreateRun.builder().prompt("fix it").more(Map.of("images", images)).build();

    assertThat(ClientJson.tree(run).path("images")).isEqualTo(images);
  }

  @Test
  public void toStringShowsNoUserText() throws Exception {
    assertThat(Golden.read("create-run", CreateRun.class).toString())
        .contains("ticket_id")
        .doesNotContain("login", "PAY-123", "iVBORw0K");
    assertThat(Golden.read("follow-up", FollowUpMessage.class).toString()).doesNotContain("logout");
  }

  @Test
  public void everyMemberOfAFollowUpIsReadAndWrittenUnderItsName() throws Exception {
    var message =
        FollowUpMessage.builder()
            .message("Also fix the logout test.")
            .mode(RunMode.ORCHESTRATE)
            .attachments(
                List.of(
                    new FollowUpAttachment(
                        "att-1", "screen.png", Map.of("alt", TextNode.valueOf("the error"))),
                    FollowUpAttachment.of("att-2")))
            .more(Map.of("a_null_of_next_year", NullNode.instance))
            .build();

    assertThat(ClientJson.tree(message)).isEqualTo(Golden.tree("follow-up"));
    assertThat(Golden.read("follow-up", FollowUpMessage.class)).isEqualTo(message);
    assertThat(message.toBuilder().build()).isEqualTo(message);
  }

  @Test
  public void followUpTextIsSentAsMessage() throws Exception {
    assertThat(ClientJson.tree(FollowUpMessage.of("go on")).toString())
        .isEqualTo("{\"message\":\"go on\"}");
  }

  @Test
  public void aFollowUpNeedsAMessageOrAttachments() throws Exception {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> FollowUpMessage.of(" "))
        .withMessageContaining("message");
    assertThat(FollowUpMessage.builder().message(" ").build().hasContent()).isFalse();
    var silent =
        FollowUpMessage.builder()
            .message("")
            .attachments(List.of(FollowUpAttachment.of("att-1")))
            .build();
    assertThat(silent.hasContent()).isTrue();
    assertThat(ClientJson.tree(silent).toString())
        .isEqualTo("{\"message\":\"\",\"attachments\":[{\"attachment_id\":\"att-1\"}]}");
  }
}
