package dev.runnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.client.ClientJson;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What runs made, by its tag.
public class ArtifactItemTest {
  @Test
  public void aPlanHasItsDocument() throws Exception {
    assertThat(read(0))
        .isEqualTo(
            new ArtifactItem.Plan(
                "d-1", "a-1", "n-1", "https://app.example/plan/d-1", "The plan", json(0)));
  }

  @Test
  public void aPullRequestHasAddressBranchAndStatus() throws Exception {
    assertThat(read(1))
        .isEqualTo(
            new ArtifactItem.PullRequest(
                "https://github.example/team/app/pull/7",
                "fix-login",
                PullRequestStatus.MERGED,
                json(1)));
  }

  @Test
  public void aScreenshotHasItsUidAndMediaType() throws Exception {
    assertThat(read(2))
        .isEqualTo(new ArtifactItem.Screenshot("a-2", "image/png", "The error", json(2)));
  }

  @Test
  public void aFileHasPathNameAndASizeThatMayBeLarge() throws Exception {
    assertThat(read(3))
        .isEqualTo(
            new ArtifactItem.File(
                "a-3",
                "out/report.pdf",
                "report.pdf",
                "application/pdf",
                "The report",
                5_000_000_000L,
                "Report",
                json(3)));
  }

  @Test
  public void anExternalReferenceHasItsTypeAndMetadataOfAnyShape() throws Exception {
    assertThat(read(4))
        .isEqualTo(
            new ArtifactItem.ExternalReference(
                "https://linear.example/PAY-123",
                "linear_issue",
                "Pay later",
                json(4).at("/data/metadata"),
                json(4)));
  }

  @Test
  public void unknownArtifactTypeIsKept() throws Exception {
    assertThat(read(5)).isEqualTo(new ArtifactItem.Unknown(json(5)));
    assertThat(read(5).type()).isEqualTo(new ArtifactType("HOLOGRAM"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  public void everyArtifactHasTypeAndTimeAndIsWrittenUnchanged(int which) throws Exception {
    var item = read(which);

    assertThat(item.type().value()).isEqualTo(json(which).path("artifact_type").textValue());
    assertThat(item.createdAt()).isEqualTo("2026-01-05T09:0" + (which + 1) + ":00Z");
    assertThat(ClientJson.tree(item)).isEqualTo(json(which));
  }

  @ParameterizedTest
  @CsvSource({"1, url", "2, artifact_uid", "3, artifact_uid", "4, url"})
  public void artifactWithoutARequiredMemberIsUnknown(int which, String member) throws Exception {
    var json = json(which);
    ((ObjectNode) json.path("data")).remove(member);

    assertThat(ClientJson.strict(json, ArtifactItem.class))
        .isEqualTo(new ArtifactItem.Unknown(json));
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "\"PLAN\"", "[]", "{}", "{\"artifact_type\": 7, \"data\": \"x\"}"})
  void malformedArtifactIsUnknown(String json) throws IOException {
    var item = ClientJson.lenient(ClientJson.tree(json), ArtifactItem.class);

    assertThat(item).isInstanceOf(ArtifactItem.Unknown.class);
    assertThat(item.createdAt()).isNull();
    assertThat(ClientJson.tree(item)).isEqualTo(ClientJson.tree(json));
  }

  @Test
  public void optionalMembersMayBeMissing() throws Exception {
    var json =
        ClientJson.tree(
            "{\"artifact_type\": \"FILE\", \"created_at\": \"soon\", \"data\": {\"artifact_uid\":"
                + " \"a\"}}");

    var file = ClientJson.strict(json, ArtifactItem.class);

    assertThat(file).isEqualTo(new ArtifactItem.File("a", null, null, null, null, -1, null, json));
    assertThat(file.createdAt()).isNull();
  }

  @Test
  public void constructedPullRequestSurvivesARoundTrip() throws Exception {
    var found =
        ArtifactItem.PullRequest.of(
            "https://a.example/1", "b", Instant.parse("2026-01-05T09:00:00Z"));

    assertThat(ClientJson.strict(ClientJson.tree(found), ArtifactItem.class)).isEqualTo(found);
    assertThat(ClientJson.tree(found).toString())
        .isEqualTo(
            "{\"artifact_type\":\"PULL_REQUEST\",\"created_at\":\"2026-01-05T09:00:00Z\","
                + "\"data\":{\"url\":\"https://a.example/1\",\"branch\":\"b\",\"status\":\"unknown\"}}");
  }

  private static ArtifactItem read(int which) throws IOException {
    return ClientJson.strict(json(which), ArtifactItem.class);
  }

  private static JsonNode json(int which) throws IOException {
    return Golden.tree("artifacts").path(which);
  }
}
