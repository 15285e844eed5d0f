package dev.runnel.client.guide;

import dev.runnel.client.ListSkills;
import dev.runnel.client.RunsClient;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.CreateIdentity;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.CreateSchedule;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.RunItem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Examples of what is around runs.
public final class OtherExamples {
  private OtherExamples() {}

  public static RunItem factories(RunsClient client) {
    // guide: factories
    var factory = client.factories().search("payments").items().findFirst().orElseThrow();
    var work =
        DispatchRun.builder()
            .prompt("Fix the flaky checkout test")
            .ticketRef("linear:PAY-123")
            .build();
    var dispatched = client.factories().dispatch(factory.uid(), work).send();
    var run = client.runs().await(dispatched.runId()).send();
    // end
    return run;
  }

  public static void schedules(RunsClient client) {
    // guide: schedules
    var nightly =
        CreateSchedule.builder()
            .name("nightly")
            .cronSchedule("0 3 * * *")
            .prompt("Run the tests, and fix what is red")
            .build();
    var schedule = client.schedules().create(nightly).send();
    client.schedules().pause(schedule.id()).send();
    client.schedules().resume(schedule.id()).send();
    client.schedules().delete(schedule.id()).send();
    // end
  }

  public static CreatedRun identities(RunsClient client) {
    // guide: identities
    var identity =
        client
            .identities()
            .create(CreateIdentity.builder().name("reviewer").prompt("Be kind and exact").build())
            .send();
    var request =
        CreateRun.builder()
            .prompt("Review pull request 7")
            .agentIdentityUid(identity.uid())
            .team(true)
            .build();
    var created = client.runs().create(request).send();
    // end
    return created;
  }

  public static void catalog(RunsClient client) {
    // guide: catalog
    for (var model : client.catalog().models().send().models()) {
      System.out.println(model.id());
    }
    for (var environment : client.catalog().environments().send()) {
      System.out.println(environment.uid());
    }
    for (var skill : client.catalog().skills(ListSkills.ALL.repository("acme/shop")).send()) {
      System.out.println(skill.name());
    }
    for (var worker : client.catalog().workers().send()) {
      System.out.println(worker.workerHost());
    }
    // end
  }

  public static void artifacts(RunsClient client, String runId, Path folder) throws IOException {
    // guide: artifacts
    for (var artifact : client.runs().get(runId).send().artifacts()) {
      switch (artifact) {
        case ArtifactItem.PullRequest pull -> System.out.println(pull.url());
        case ArtifactItem.ExternalReference elsewhere -> System.out.println(elsewhere.url());
        case ArtifactItem.Plan plan -> System.out.println(plan.title());
        case ArtifactItem.File file ->
            Files.write(
                folder.resolve(file.artifactUid()),
                client.artifacts().download(file.artifactUid()).send());
        case ArtifactItem.Screenshot picture ->
            Files.write(
                folder.resolve(picture.artifactUid()),
                client.artifacts().download(picture.artifactUid()).send());
        case ArtifactItem.Unknown unknown -> System.out.println("A new kind: " + unknown.type());
      }
    }
    // end
  }

  public static void conversations(RunsClient client, String runId) {
    // guide: conversations
    for (var step : client.runs().conversation(runId).send().steps()) {
      for (var message : step.messages()) {
        for (var content : message.content()) {
          System.out.println(message.role() + ": " + content.text());
        }
      }
    }
    // end
  }
}
