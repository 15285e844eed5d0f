package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.client.Catalog.EnvironmentOrder;
import dev.runnel.wire.CloudEnvironment;
import dev.runnel.wire.Golden;
import dev.runnel.wire.ModelList;
import dev.runnel.wire.Skill;
import dev.runnel.wire.Worker;
import org.junit.jupiter.api.Test;

class CatalogTest extends GroupFixture {
  @Test
  void skillsAreListed() throws Exception {
    answerGolden("skills");
    answerGolden("skills");
    var query = ListSkills.ALL.repository("team/app").refreshed().lastUsedFirst().withMalformed();

    assertThat(sends(client.catalog().skills(), "GET /agent"))
        .containsExactly(Golden.read("skills#/agents/0", Skill.class));
    sends(
        client.catalog().skills(query),
        "GET /agent?repo=team%2Fapp&refresh=true&sort_by=last_run&include_malformed_skills=true");
  }

  @Test
  void environmentsAreListedInTwoOrders() throws Exception {
    answerGolden("environments");
    answerGolden("environments");

    assertThat(
            sends(client.catalog().environments(), "GET /agent/environments?sort_by=last_updated"))
        .containsExactly(Golden.read("environments#/environments/0", CloudEnvironment.class));
    sends(
        client.catalog().environments(EnvironmentOrder.NAME),
        "GET /agent/environments?sort_by=name");
  }

  @Test
  void modelListNamesTheDefaultModel() throws Exception {
    answerGolden("models");

    var models = sends(client.catalog().models(), "GET /agent/models");

    assertThat(models).isEqualTo(Golden.read("models", ModelList.class));
    assertThat(models.defaultModelId()).isEqualTo("auto");
  }

  @Test
  void workersAreListed() throws Exception {
    answerGolden("workers");

    assertThat(sends(client.catalog().workers(), "GET /agent/connected-self-hosted-workers"))
        .containsExactly(Golden.read("workers#/workers/0", Worker.class));
  }

  @Test
  void failedCatalogCallThrowsTheMatchingException() {
    isRefused(
        client.catalog().skills(),
        401,
        "external_authentication_required",
        RunsException.Unauthorized.class);
    isRefused(client.catalog().models(), 403, "not_authorized", RunsException.Forbidden.class);
  }
}
