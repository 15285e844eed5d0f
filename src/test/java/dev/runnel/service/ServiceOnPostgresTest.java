package dev.runnel.service;

import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/// What the tests of the service say of SQLite is true on PostgreSQL, too.
@Tag("slow")
class ServiceOnPostgresTest {
  @Nested
  @OnPostgres
  class Api extends RunApiTest {}

  @Nested
  @OnPostgres
  class FollowUps extends FollowUpTest {}

  @Nested
  @OnPostgres
  class Restarts extends RestartTest {
    @Override
    @Disabled("the other process of this test is on SQLite; ThreeNodesTest kills nodes")
    void restartAfterAKillEndsOldAgentsAndRunsCanContinue() {}
  }

  @Nested
  @OnPostgres
  class Conversations extends ConversationTest {}

  @Nested
  @OnPostgres
  class Commands extends CommandRunTest {}

  @Nested
  @OnPostgres
  class Neighbours extends NeighboursTest {}

  @Nested
  @OnPostgres
  class Files extends FilesTest {}

  @Nested
  @OnPostgres
  class Lists extends ListRowsTest {}

  @Nested
  @OnPostgres
  class Steering extends SteeringRowsTest {}
}
