package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.Golden;
import dev.runnel.wire.Identity;
import dev.runnel.wire.UpdateIdentity;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.Test;

class IdentitiesTest extends GroupFixture {
  @Test
  void identityIsCreatedWithStatus201() throws Exception {
    server.enqueue(json(201, Golden.text("identity")));
    var identity = Golden.read("create-identity", CreateIdentity.class);

    assertThat(
            sends(
                client.identities().create(identity),
                "POST /agent/identities",
                Golden.tree("create-identity")))
        .isEqualTo(Golden.read("identity", Identity.class));
  }

  @Test
  void allIdentitiesAreListed() throws Exception {
    answerGolden("identities");

    assertThat(sends(client.identities().list(), "GET /agent/identities"))
        .containsExactly(Golden.read("identity", Identity.class));
  }

  @Test
  void identityIsRead() throws Exception {
    answerGolden("identity");

    assertThat(sends(client.identities().get("sa-1"), "GET /agent/identities/sa-1"))
        .isEqualTo(Golden.read("identity", Identity.class));
  }

  @Test
  void updateSendsOnlyTheMembersThatAreSet() throws Exception {
    answerGolden("identity");

    sends(
        client.identities().update("sa-1", UpdateIdentity.builder().prompt("").build()),
        "PUT /agent/identities/sa-1",
        ClientJson.tree("{\"prompt\": \"\"}"));
  }

  @Test
  void identityIsDeletedWithStatus204() throws Exception {
    server.enqueue(new MockResponse.Builder().code(204).build());

    assertThat(sends(client.identities().delete("sa-1"), "DELETE /agent/identities/sa-1"))
        .isEqualTo(Done.DONE);
  }

  @Test
  void failedIdentityCallThrowsTheMatchingException() {
    isRefused(
        client.identities().get("sa-1"), 404, "resource_not_found", RunsException.NotFound.class);
    isRefused(
        client.identities().create(CreateIdentity.builder().name("a").build()),
        403,
        "not_authorized",
        RunsException.Forbidden.class);
  }

  @Test
  void emptyIdsAreNeverSent() {
    areNeverSent(
        () -> client.identities().get(""),
        () -> client.identities().update(" ", UpdateIdentity.builder().build()),
        () -> client.identities().delete(".."));
  }
}
