package dev.runnel.wire;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.runnel.client.ClientJson;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Errors, and the code that is only in their type.
public class ProblemTest {
  @Test
  public void everyMemberIsReadAndWrittenUnderItsName() throws Exception {
    var golden = Golden.tree("problem");
    var problem =
        Problem.builder()
            .type("https://docs.example/errors/external_authentication_required")
            .title("Connect your GitHub account")
            .status(401)
            .error("Connect your GitHub account (The app may not read team/app)")
            .detail("The app may not read team/app")
            .instance("/api/v1/agent/run")
            .retryable(false)
            .traceId("4bf92f3577b34da6a3ce929d0e0e4736")
            .provider("github")
            .authUrl("https://github.example/login/oauth")
            .inaccessibleRepos(List.of("team/app", "team/lib"))
            .integrationName("github")
            .setupUrl("https://app.example/setup")
            .more(
                Map.of(
                    "a_member_of_next_year",
                    golden.path("a_member_of_next_year"),
                    "a_null_of_next_year",
                    NullNode.instance))
            .build();

    assertThat(Golden.read("problem", Problem.class)).isEqualTo(problem);
    assertThat(ClientJson.tree(problem)).isEqualTo(golden);
    assertThat(problem.toBuilder().build()).isEqualTo(problem);
    Golden.isFull(problem);
  }

  @Test
  public void problemSurvivesARoundTrip() throws Exception {
    Golden.isLossless("problem", Problem.class);
  }

  @Test
  public void aMemberThatCannotBeReadCountsAsAbsentUnlessReadStrictly() throws Exception {
    Golden.oddMembersCountAsAbsent("problem", Problem.class);
  }

  @Test
  public void problemNeedsOnlyItsRequiredMembers() throws Exception {
    var problem = Golden.read("problem-minimal", Problem.class);

    assertThat(problem)
        .isEqualTo(
            Problem.builder()
                .type("/errors/invalid-request/")
                .title("No prompt")
                .status(400)
                .error("No prompt")
                .build());
    assertThat(problem.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
    assertThat(problem.retryable()).isNull();
    assertThat(problem.inaccessibleRepos()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://docs.example/errors/environment_setup_failed, environment_setup_failed",
    "/errors/environment-setup-failed/, environment_setup_failed",
    "/reference/api/errors/environment-setup-failed/, environment_setup_failed",
    "environment-setup-failed, environment_setup_failed",
    "https://docs.example/errors/conflict, conflict",
    "/errors/conflict///, conflict",
    "https://docs.example/errors/conflict?lang=en, conflict",
    "https://docs.example/errors/conflict/#cause, conflict",
    "/errors/eaten-by-a-bear/, eaten_by_a_bear",
    "about:blank, about:blank",
    "/, ''",
    "'', ''",
  })
  public void theCodeIsTheLastSegmentOfTheTypeInEverySpelling(String type, String code) {
    assertThat(Problem.builder().type(type).build().code()).isEqualTo(new ErrorCode(code));
  }

  @Test
  public void problemWithoutATypeHasNoCode() {
    assertThat(Problem.builder().title("Oops").build().code().value()).isEmpty();
  }

  @Test
  public void theCodeIsNoMemberOfTheJson() throws Exception {
    assertThat(ClientJson.tree(Problem.builder().type("/errors/conflict/").build()).has("code"))
        .isFalse();
  }
}
