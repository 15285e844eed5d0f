package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PolicyCommandTest {
  @TempDir Path folder;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @BeforeEach
  void write() throws IOException {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        policy:
          groups:
            platform: [slack:U1, github:ops]
          rules:
            - {who: platform, where: any, may: all}
            - {who: slack:members, where: "slack:T012AB/*", may: [start], with: {environments: [docs]}}
            - {who: any, where: any, may: [stop-own]}
          approve:
            - {when: {environment: prod}, by: platform, not: requester, within: 30m}
        profiles:
          shop: {environment: prod, model: fast}
        defaults:
          "slack:T012AB/C2": {environment: docs}
          "slack:@U3": {environment: docs}
          "github:acme/shop": {profile: shop}
        """);
  }

  private int run(String... words) {
    var all = new ArrayList<>(List.of("policy", "test"));
    all.addAll(List.of(words));
    all.addAll(List.of("--config", folder.resolve("runnel.yaml").toString()));
    return new Main(stream(out), stream(err), Map.of()).run(all);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  @Test
  void aPermittedRequestNamesTheRule() {
    assertThat(run("slack:T012AB/U1", "start", "slack:T012AB/C1")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("permitted policy.rules[0]");
  }

  @Test
  void policyCommandLeavesNoDatabaseFile() {
    run("slack:T012AB/U1", "start", "slack:T012AB/C1");
    assertThat(Path.of(":memory:")).doesNotExist();
  }

  @Test
  void requestMayBeOneQuotedArgument() {
    assertThat(run("slack:T012AB/U1 start slack:T012AB/C1 --env docs")).isZero();
  }

  @Test
  void refusedRequestNamesWhoIsPermitted() {
    assertThat(run("slack:T012AB/U2", "start", "slack:T012AB/C1", "--env", "docs")).isOne();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "refused   no rule permits it",
            "These may: the group `platform`, all members of this workspace.");
  }

  @Test
  void policyRulesApplyToRunsOfTheApi() {
    assertThat(run("slack:T012AB/U1", "stop", "api")).isZero();
    assertThat(run("slack:T012AB/U2", "stop", "api")).isOne();
  }

  @Test
  void groupsOfThePlatformCanBeAssumed() {
    assertThat(run("slack:T012AB/U2 start slack:T012AB/C1 --env docs --groups slack:members"))
        .isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("permitted policy.rules[1]");
  }

  @Test
  void aStartHasTheDefaultsOfItsPlace() {
    assertThat(run("slack:T012AB/U2 start slack:T012AB/C2 --groups slack:members")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains(
            "Option    env docs, in the configuration, for `slack:T012AB/C2`",
            "permitted policy.rules[1]");
    assertThat(run("slack:T012AB/U2 start slack:T012AB/C2 --groups slack:members --env prod"))
        .isOne();
  }

  @ParameterizedTest
  @CsvSource({
    "slack:T012AB/U2 start slack:T012AB/C1 --env prod --groups slack:members, 3, approval",
    "github:bob start github:acme/shop --groups github:members, 3, approval",
    "slack:T012AB/U2 start slack:T012AB/C1 --env docs --groups slack:members, 0, permitted",
    "slack:T012AB/U2 stop slack:T012AB/C1 --env prod --groups slack:members, 0, permitted",
    "slack:T012AB/U2 start slack:T012AB/C1 --env prod --groups slack:guests, 1, refused"
  })
  void approvalsCountAlsoWithoutRules(String request, int exit, String decision)
      throws IOException {
    Files.writeString(
        folder.resolve("runnel.yaml"),
        """
        policy:
          approve:
            - {when: {environment: prod}, by: slack:U1, within: 30m}
        defaults:
          "github:acme/shop": {environment: prod}
        """);

    assertThat(run(request)).isEqualTo(exit);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains("\n" + decision);
  }

  @Test
  void aStartHasTheDefaultsOfThePerson() {
    assertThat(run("slack:T012AB/U3 start slack:T012AB/C1 --groups slack:members")).isZero();
  }

  @Test
  void startWaitsForTheApprovalOfTheEnvironmentOfItsProfile() {
    assertThat(run("github:ops start github:acme/shop")).isEqualTo(3);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("env prod, from the profile shop", "model fast, from the profile shop");
  }

  @Test
  void refusedStartWithoutAnEnvironmentReportsTheMissingDefault() {
    var start = "slack:T012AB/U2 start slack:T012AB/C1 --groups slack:members";
    assertThat(run(start)).isOne();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("No default chooses an environment or a model");

    out.reset();
    assertThat(run(start + " --env docs")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8)).doesNotContain("No default chooses");
  }

  @Test
  void aStartThatWaitsForAnApprovalHasItsOwnExitCode() {
    assertThat(run("github:ops start github:acme/shop --env prod")).isEqualTo(3);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("approval  policy.rules[0]", "platform approves", "policy.approve[0]");
  }

  @Test
  void aPersonMayStopTheirOwnRunOnly() {
    assertThat(run("slack:U9 stop slack:T012AB/C1 --own")).isZero();
    assertThat(run("slack:U9 stop slack:T012AB/C1")).isOne();
  }

  @Test
  void invalidPolicyArgumentIsNamed() {
    assertThat(run("slack:U1 launch slack:T012AB/C1")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("There is no verb launch.");
    assertThat(run("U1 start slack:T012AB/C1")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("U1 does not begin with a platform");
    assertThat(run("slack:U1 start")).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("needs a person, a verb and a place");
  }
}
