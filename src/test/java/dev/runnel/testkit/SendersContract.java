package dev.runnel.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.port.Surface;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.stream.Stream;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/// Which person of a platform is in which column of
/// [PermissionMatrixTest][dev.runnel.core.PermissionMatrixTest], without a policy and with the
/// usual settings. Each platform sends a recorded message of that person, and says of them what the
/// platform would.
public interface SendersContract {
  /// Messages of those who are not heard are not even stored.
  String TABLE =
      """
      # platform | who                             | what the platform says       | column

      github | owner of the account                | dana User OWNER -            | member
      github | member who administers              | ada User MEMBER admin        | member
      github | member who writes                   | ada User MEMBER write        | member
      github | collaborator who maintains          | cora User COLLABORATOR maintain | member
      github | member who triages                  | ada User MEMBER triage       | outsider
      github | member who reads                    | ada User MEMBER read         | outsider
      github | guest: collaborator who reads       | cora User COLLABORATOR read  | outsider
      github | external: contributed once          | otto User CONTRIBUTOR read   | outsider
      github | external: nobody to the repository  | eve User NONE -              | not heard
      github | external: newcomer                  | eve User FIRST_TIMER -       | not heard
      github | bot                                 | x[bot] Bot COLLABORATOR -    | not heard
      github | owner of an unknown account         | zoe User OWNER -             | not heard

      gitlab | owner                               | level=50                     | member
      gitlab | maintainer                          | level=40                     | member
      gitlab | developer                           | level=30                     | member
      gitlab | reporter                            | level=20                     | outsider
      gitlab | planner                             | level=15                     | outsider
      gitlab | guest                               | level=10                     | outsider
      gitlab | external: no member of the project  | no member                    | outsider
      gitlab | external: no account                | no account                   | outsider
      gitlab | blocked developer                   | level=30 blocked             | outsider
      gitlab | bot with a developer's role         | level=30 bot                 | outsider

      gitea  | who may write                       | dana, lee                    | member
      gitea  | who may write, in other letters     | DANA                         | member
      gitea  | external: who may not               | lee                          | outsider
      gitea  | nobody may                          |                              | outsider
      gitea  | bot of the server                   | actions                      | not heard

      azure  | member of a team of the project     | dana@fabrikam.example dana@fabrikam.example | member
      azure  | member of a team, in other letters  | Dana@FABRIKAM.example Dana@fabrikam.example | member
      azure  | external: of no team                | lee@fabrikam.example dana@fabrikam.example | outsider
      azure  | group of the same name              | dana@fabrikam.example dana@fabrikam.example group | outsider
      azure  | whose comment is somebody else's    | dana@fabrikam.example eve@example.org | not served

      jira   | who may edit the issue              | atlassian active             | member
      jira   | guest: who may not                  | nobody                       | outsider
      jira   | another who may                     | another                      | outsider
      jira   | deactivated                         | atlassian inactive           | outsider
      jira   | bot                                 | app active                   | outsider

      linear | admin                               | active admin                 | member
      linear | member                              | active                       | member
      linear | guest                               | active guest                 | outsider
      linear | deactivated                         | suspended                    | outsider
      linear | external: no user of the workspace  | nobody                       | outsider
      linear | bot                                 | active app                   | outsider

      slack  | owner                               | 'team_id':'T0ACME','is_owner':true | member
      slack  | admin                               | 'team_id':'T0ACME','is_admin':true | member
      slack  | member                              | 'team_id':'T0ACME'           | member
      slack  | guest of several channels           | 'team_id':'T0ACME','is_restricted':true | outsider
      slack  | guest of one channel                | 'team_id':'T0ACME','is_ultra_restricted':true | outsider
      slack  | external: Slack Connect             | 'team_id':'T0OTHER'          | outsider
      slack  | external: unknown person            | 'team_id':'T0ACME','is_stranger':true | outsider
      slack  | deactivated                         | 'team_id':'T0ACME','deleted':true | outsider
      slack  | bot                                 | 'team_id':'T0ACME','is_bot':true | outsider
      slack  | member of an unknown workspace      | 'team_id':'T0ACME' not accepted | not served
      """;

  /// As in the table.
  String platform();

  /// Sends a message of a person, and asks what they may.
  ///
  /// @param says what the platform says of them
  /// @return a column of the table
  String column(String says);

  @TestFactory
  default Stream<DynamicTest> everybodyIsInTheirColumn() {
    return Arrays.stream(TABLE.split("\n"))
        .filter(line -> line.startsWith(platform() + " "))
        .map(line -> Arrays.stream(line.split("\\|")).map(String::strip).toList())
        .map(
            row ->
                dynamicTest(
                    row.get(1) + ": " + row.get(3),
                    () -> assertThat(column(row.get(2))).isEqualTo(row.get(3))));
  }

  /// What becomes of a request.
  static String column(Surface surface, RawRequest request) {
    if (!(surface.receive(request) instanceof WebhookResult.Accepted(var delivery, _))) {
      return "not heard";
    }
    return switch (surface.senders().admit(delivery)) {
      case Admission.Admitted _ -> "member";
      case Admission.Outsider _ -> "outsider";
      case Admission.TurnedAway _, Admission.Refused _ -> "not served";
      case Admission.Unknown it -> "unknown: " + it.why();
    };
  }

  /// Something that answers a call.
  @FunctionalInterface
  interface Answers {
    /// @param call method and path with the query
    /// @return JSON; `null` if there is no such thing
    String to(String call, String body);
  }

  static MockWebServer serve(Answers answers) {
    var server = MockServers.create();
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            var body = request.getBody() == null ? "" : request.getBody().utf8();
            var answer = answers.to(request.getMethod() + " " + request.getTarget(), body);
            return new MockResponse.Builder()
                .code(answer.equals("null") ? 404 : 200)
                .body(answer)
                .build();
          }
        });
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return server;
  }
}
