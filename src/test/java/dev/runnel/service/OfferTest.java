package dev.runnel.service;

import static dev.runnel.service.RunningService.problem;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.service.RunningService.Setup;
import dev.runnel.service.workspace.Environments;
import dev.runnel.testkit.LocalRepository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What runs may ask for.
@Tag("slow")
class OfferTest {
  @TempDir Path folder;
  private RunningService service;

  @BeforeEach
  void start() throws IOException {
    var shop = LocalRepository.make(folder.resolve("origin/acme/shop"));
    shop.commit("skills/review/SKILL.md", "---\ndescription: Reviews\n---\nBe kind.\n");
    shop.commit("skills/broken/SKILL.md", "---\nname: [broken\n---\nx\n");
    var tools = LocalRepository.make(folder.resolve("origin/acme/tools"));
    tools.commit("skills/review/SKILL.md", "Be quick.\n");
    tools.commit("skills/build/SKILL.md", "Build.\n");
    var web = EnvironmentRuns.web("web", List.of("true"), shop);
    var all = EnvironmentRuns.web("all", List.of(), shop, tools);
    service =
        RunningService.with(
            folder,
            "cat",
            4,
            Setup.USUAL.with(new Environments(List.of(web, all), Optional.of(web), Map.of())));
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Nested
  class Skills {
    @Test
    void skillsAreListedByNameWithTheirSources() {
      var agents = service.ok(service.get("/agent")).get("agents");

      assertThat(agents)
          .extracting(each -> each.get("name").asText())
          .containsExactly("build", "review");
      var shops = agents.get(1).get("variants").get(0);
      assertThat(shops.get("id").asText()).isEqualTo("acme/shop:skills/review/SKILL.md");
      assertThat(shops.get("description").asText()).isEqualTo("Reviews");
      assertThat(shops.get("base_prompt").asText().strip()).isEqualTo("Be kind.");
      assertThat(shops.at("/source/owner").asText()).isEqualTo("acme");
      assertThat(shops.at("/source/name").asText()).isEqualTo("shop");
      assertThat(shops.at("/source/skill_path").asText()).isEqualTo("skills/review/SKILL.md");
      assertThat(shops.get("environments"))
          .extracting(each -> each.get("uid").asText())
          .containsExactly("web", "all");
      assertThat(shops.has("last_run_timestamp")).isFalse();
      assertThat(agents.get(1).get("variants")).hasSize(2);
    }

    @Test
    void skillsCanBeListedForOneRepository() {
      var agents = service.ok(service.get("/agent?repo=acme%2Ftools")).get("agents");

      assertThat(agents.get(1).get("variants")).hasSize(1);
      assertThat(service.ok(service.get("/agent?repo=acme%2Fother")).get("agents")).isEmpty();
    }

    @Test
    void malformedSkillsAreListedOnRequest() {
      var agents = service.ok(service.get("/agent?include_malformed_skills=true")).get("agents");

      assertThat(agents.get(0).at("/variants/0/error").asText()).contains("front matter");
    }

    @Test
    void skillsCanBeSortedByTheirLastRun() {
      var id =
          service
              .ok(service.post("/agent/runs", "{\"skill\":\"acme/tools:review\"}"))
              .get("run_id")
              .asText();

      var agents = service.ok(service.get("/agent?sort_by=last_run")).get("agents");

      assertThat(agents.get(0).get("name").asText()).isEqualTo("review");
      assertThat(agents.get(0).at("/variants/1/last_run_timestamp").asText())
          .isEqualTo(service.run(id).get("created_at").asText());
      assertThat(problem(service.get("/agent?sort_by=size"))).isEqualTo("invalid_request");
    }
  }

  @Test
  void environmentsAreListedWithTheirLastRun() {
    var id = service.create("x");
    service.awaitState(id, "SUCCEEDED");

    var list = service.ok(service.get("/agent/environments?sort_by=name")).get("environments");

    assertThat(list).extracting(each -> each.get("uid").asText()).containsExactly("all", "web");
    var web = list.get(1);
    assertThat(web.at("/config/github_repos/0/owner").asText()).isEqualTo("acme");
    assertThat(web.at("/config/github_repos/0/repo").asText()).isEqualTo("shop");
    assertThat(web.at("/config/setup_commands/0").asText()).isEqualTo("true");
    assertThat(web.at("/last_task_created/id").asText()).isEqualTo(id);
    assertThat(web.get("setup_failed").asBoolean()).isFalse();
    assertThat(web.at("/scope/type").asText()).isEqualTo("Team");
    assertThat(list.get(0).has("last_task_created")).isFalse();
  }

  @Test
  void failedSetupIsShownInItsEnvironment() throws IOException {
    Files.move(folder.resolve("origin/acme/shop"), folder.resolve("gone"));
    service.awaitState(service.create("x"), "FAILED");

    assertThat(
            service
                .ok(service.get("/agent/environments"))
                .at("/environments/1/setup_failed")
                .asBoolean())
        .isTrue();
  }

  @Test
  void unknownAgentOffersOnlyTheDefaultModel() {
    service.close();
    service =
        RunningService.inEnvironment(folder, Optional.of("cat"), Map.of("PATH", "/usr/bin:/bin"));
    var models = service.ok(service.get("/agent/models"));

    assertThat(models.get("default_model_id").asText()).isEqualTo("default");
    assertThat(models.get("models"))
        .extracting(each -> each.get("id").asText() + " " + each.get("provider").asText())
        .containsExactly("default UNKNOWN");
  }

  @Test
  void modelsOfInstalledAgentsAreListed() throws IOException {
    var program = Files.createDirectories(folder.resolve("bin")).resolve("claude");
    Files.writeString(program, "#!/bin/sh\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
    service.close();
    service =
        RunningService.inEnvironment(
            folder, Optional.empty(), Map.of("PATH", program.getParent() + ":/usr/bin:/bin"));

    assertThat(service.ok(service.get("/agent/models")).get("models"))
        .extracting(each -> each.get("id").asText() + " " + each.get("provider").asText())
        .containsExactly(
            "default ANTHROPIC", "sonnet ANTHROPIC", "opus ANTHROPIC", "haiku ANTHROPIC");
  }

  @Test
  void noWorkersAreConnected() {
    assertThat(service.ok(service.get("/agent/connected-self-hosted-workers")).get("workers"))
        .isEmpty();
  }
}
