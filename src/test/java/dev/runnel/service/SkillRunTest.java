package dev.runnel.service;

import static dev.runnel.service.RunningService.JSON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Repository;
import dev.runnel.service.workspace.Skill;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class SkillRunTest {
  private static final String REVIEW =
      """
      ---
      name: review
      description: >
        Reviews a change
        with care
      ---

      Review like a friend.
      """;

  @TempDir Path folder;
  private LocalRepository shop;

  @BeforeEach
  void repository() throws IOException {
    shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
    shop.commit("README.md", "The shop\n");
    shop.commit(".agents/skills/review/SKILL.md", REVIEW);
    shop.commit(".claude/skills/deploy/SKILL.md", "Deploy on Mondays.\n");
    shop.commit("skills/broken/SKILL.md", "---\nname: [broken\n---\nx\n");
    shop.commit("docs/odd.md", "Be odd.\n");
    Files.writeString(folder.resolve("secret"), "the host's secret");
    Files.createDirectories(shop.folder().resolve("skills/link"));
    Files.createSymbolicLink(
        shop.folder().resolve("skills/link/SKILL.md"), folder.resolve("secret"));
    shop.commitAll();
  }

  @Nested
  class ARunWithASkill {
    @ParameterizedTest
    @CsvSource({
      "acme/shop:review, 'Review like a friend.', .agents/skills/review",
      "shop:review, 'Review like a friend.', .agents/skills/review",
      "review, 'Review like a friend.', .agents/skills/review",
      "ACME/Shop:deploy, 'Deploy on Mondays.', .claude/skills/deploy",
      "acme/shop:.agents/skills/review/SKILL.md, 'Review like a friend.', .agents/skills/review",
      "acme/shop:.agents/skills/review, 'Review like a friend.', .agents/skills/review",
      "acme/shop:docs/odd.md, 'Be odd.', docs",
    })
    void skillTextBecomesTheBasePrompt(String spec, String text, String place) throws IOException {
      try (var service = claude(setup())) {
        service.awaitState(create(service, spec), "SUCCEEDED");

        assertThat(folder.resolve("input"))
            .hasContent(text + "\n\nThe files of this skill are in " + place + ".\n\nDo it");
      }
    }

    @Test
    void commandAgentFindsTheSkillFile() {
      try (var service =
          RunningService.with(folder, "cat; echo; cat $RUNNEL_SKILL_FILE", 4, setup())) {
        var id = create(service, "acme/shop:deploy");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id)).endsWith("\nDo it\nDeploy on Mondays.\n");
      }
    }

    @Test
    void basePromptContainsAllSkillTextsInOrder() throws IOException {
      try (var service = claude(setup())) {
        var id = create(service, "acme/shop:deploy", "review", "acme/shop:review");
        service.awaitState(id, "SUCCEEDED");

        assertThat(folder.resolve("input"))
            .hasContent(
                """
                Deploy on Mondays.

                The files of this skill are in .claude/skills/deploy.

                Review like a friend.

                The files of this skill are in .agents/skills/review.

                Do it\
                """);
      }
    }

    @Test
    void commandAgentFindsTheFilesOfAllSkills() {
      try (var service = RunningService.with(folder, "cat $RUNNEL_SKILL_FILE", 4, setup())) {
        var id = create(service, "acme/shop:deploy", "acme/shop:docs/odd.md");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.transcript(id)).endsWith("Deploy on Mondays.\nBe odd.\n");
      }
    }

    @Test
    void runWithAMissingSecondSkillFailsWithTheReason() {
      try (var service = RunningService.with(folder, "echo never", 4, setup())) {
        var run = service.awaitState(create(service, "review", "acme/shop:reviw"), "FAILED");

        assertThat(run.at("/status_message/message").asText())
            .startsWith("There is no skill acme/shop:reviw.");
      }
    }

    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = {
          "acme/shop:reviw | There is no skill acme/shop:reviw. There are:",
          "acme/other:review | and none of them is acme/other",
          "acme/shop:broken | cannot be used: its front matter is not YAML.",
          "acme/shop:docs/none.md | There is no skill acme/shop:docs/none.md.",
        })
    void runWithAMissingOrBrokenSkillFailsWithTheReason(String spec, String why) {
      try (var service = RunningService.with(folder, "echo never", 4, setup())) {
        assertThat(failure(service, spec)).contains(why);
      }
    }

    @ParameterizedTest
    @ValueSource(
        strings = {
          "acme/shop:../../../secret.md",
          "acme/shop:/etc/passwd.md",
          "acme/shop:skills/../../SKILL.md",
          ":review/..",
        })
    void skillNameThatLeavesTheRepositoryIsRejected(String spec) {
      try (var service = RunningService.with(folder, "echo never", 4, setup())) {
        var body = JSON.createObjectNode().put("prompt", "Do it").put("skill", spec);

        assertThat(RunningService.problem(service.post("/agent/runs", body.toString())))
            .isEqualTo("invalid_request");
      }
    }

    @ParameterizedTest
    @ValueSource(strings = {"acme/shop:skills/link/SKILL.md", "acme/shop:--help/SKILL.md"})
    void skillOutsideTheRepositoryIsNotRead(String spec) {
      try (var service = RunningService.with(folder, "echo never", 4, setup())) {
        assertThat(failure(service, spec)).doesNotContain("the host's secret");
      }
    }

    @Test
    void unwritableSkillFailsTheRunAndNamesTheExecution() throws IOException {
      Files.writeString(folder.resolve("agents"), "a file where the folder must be");
      try (var service = claude(setup())) {
        var id = create(service, "acme/shop:review");
        service.awaitState(id, "FAILED");

        assertThat(service.message(id))
            .isEqualTo(
                "The agent could not be set up, because of a problem on the machine. Reply to try"
                    + " again. If it fails again, tell your admin: run `%s`, execution 1.",
                id.substring(0, 8));
      }
    }

    @Test
    void runWithASkillButWithoutAnEnvironmentFails() throws IOException {
      try (var service = claude(Setup.USUAL)) {
        assertThat(failure(service, "acme/shop:review")).endsWith("and this run has none.");
        assertThat(folder.resolve("input")).doesNotExist();
      }
    }

    @Test
    void commandHandlesTheSkillIfNoEnvironmentsAreConfigured() {
      try (var service = RunningService.withCommand(folder, "echo $RUNNEL_CONFIG_JSON")) {
        var id = create(service, "acme/shop:review");
        service.awaitState(id, "SUCCEEDED");

        assertThat(service.message(id)).contains("\"skill_spec\":\"acme/shop:review\"");
      }
    }
  }

  @Nested
  class TheList {
    @Test
    void skillListContainsAllSkillsAndTheirErrors() throws Exception {
      try (var service = RunningService.with(folder, "cat", 4, setup())) {
        var environment = service.service.environments().getFirst();

        assertThat(service.service.skills(environment, false))
            .containsExactly(
                new Skill(
                    "review",
                    "Reviews a change with care",
                    "Review like a friend.",
                    "acme/shop",
                    ".agents/skills/review/SKILL.md",
                    Optional.empty()),
                new Skill(
                    "deploy",
                    "",
                    "Deploy on Mondays.",
                    "acme/shop",
                    ".claude/skills/deploy/SKILL.md",
                    Optional.empty()),
                new Skill(
                    "broken",
                    "",
                    "x",
                    "acme/shop",
                    "skills/broken/SKILL.md",
                    Optional.of("its front matter is not YAML.")));
      }
    }

    @Test
    void skillListIsRefreshedOnlyOnRequest() throws Exception {
      try (var service = RunningService.with(folder, "cat", 4, setup())) {
        var environment = service.service.environments().getFirst();
        service.service.skills(environment, false);
        shop.commit("skills/fresh/SKILL.md", "Be fresh.\n");

        assertThat(service.service.skills(environment, false)).hasSize(3);
        assertThat(service.service.skills(environment, true)).hasSize(4);
      }
    }

    @Test
    void skillListReportsARepositoryThatCannotBeFetched() throws IOException {
      Files.move(shop.folder(), folder.resolve("origin/acme/moved"));
      try (var service = RunningService.with(folder, "cat", 4, setup())) {
        var environment = service.service.environments().getFirst();

        assertThatThrownBy(() -> service.service.skills(environment, false))
            .hasMessageStartingWith("acme/shop could not be fetched");
      }
    }
  }

  /// A known agent, which keeps what it is told and asked.
  private RunningService claude(Setup setup) throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(
        program,
        """
        #!/bin/sh
        input=%s
        for each; do
          case $each in
            --append-system-prompt-file=*) { cat "${each#*=}"; printf '\\n\\n'; } > "$input" ;;
          esac
        done
        printf "$(head -n 1 | sed 's/.*"text":"\\([^"]*\\)".*/\\1/')" >> "$input"
        echo '{"type":"result","subtype":"success","result":"done"}'
        """
            .formatted(folder.resolve("input")));
    assertThat(program.toFile().setExecutable(true)).isTrue();
    return RunningService.inEnvironment(
        folder,
        Optional.empty(),
        Map.of("PATH", program.getParent() + ":" + System.getenv("PATH")),
        setup);
  }

  private Setup setup() {
    var repository =
        Repository.of(shop.url(), Optional.empty(), Optional.empty(), Optional.empty());
    var environment = Environment.named("web").withRepositories(List.of(repository));
    return Setup.USUAL.with(
        new Environments(List.of(environment), Optional.of(environment), Map.of()));
  }

  private static String create(RunningService service, String spec) {
    return service.create(JSON.createObjectNode().put("prompt", "Do it").put("skill", spec));
  }

  private static String create(RunningService service, String... specs) {
    var body = JSON.createObjectNode().put("prompt", "Do it");
    var skills = body.putObject("config").putArray("skills");
    List.of(specs).forEach(skills::add);
    return service.create(body);
  }

  private static String failure(RunningService service, String spec) {
    var run = service.awaitState(create(service, spec), "FAILED");
    assertThat(run.at("/status_message/error_code").asText()).isEqualTo("environment_setup_failed");
    return run.at("/status_message/message").asText();
  }
}
