package dev.runnel.surface.azure;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.Surface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SurfaceContract;
import dev.runnel.testkit.Tasks;
import dev.runnel.testkit.TrackerContract.Person;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AzureSurfaceTest implements SurfaceContract {
  private static final Intent TASK =
      Tasks.workOn("work item", "Checkout fails for carts with 0 items");

  private final AzureTracker tracker = new AzureTracker();

  @AfterEach
  void close() {
    tracker.close();
  }

  @Override
  public Surface surface() {
    return tracker.surface();
  }

  @Override
  public List<Golden> golden() {
    var words = new Intent.Say(Request.of("please also add a test"));
    return List.of(
        golden("item-tagged", TASK),
        golden("item-untagged", cancel("removed the label `agent`")),
        golden("item-assigned", TASK),
        golden("item-created", TASK),
        golden("item-moved", TASK),
        golden("item-closed", cancel("closed the work item")),
        golden("item-deleted", cancel("deleted the work item")),
        golden("item-commented", words),
        golden("item-commented-in-html", words));
  }

  private static Golden golden(String name, Intent intent) {
    return new Golden(name, AzureRequests.golden(name), intent);
  }

  private static Intent cancel(String why) {
    return new Intent.Cancel(Optional.empty(), Optional.of(why));
  }

  @Override
  public boolean signsBody() {
    return false;
  }

  @Override
  public RawRequest signed(byte[] body) {
    return tracker.proved(body);
  }

  @Override
  public RawRequest unsigned(RawRequest request) {
    return new RawRequest(
        request.method(), request.path(), Map.of(), request.body(), request.arrivedAt());
  }

  @Override
  public RawRequest ownPost() {
    return tracker.commented(
        Person.MAINTAINER, "@agent words of an agent\n\n<!-- runnel:notice=n1 -->");
  }

  @Override
  public Posting postWhen(Answer answer) {
    tracker
        .platform()
        .answersAll(
            switch (answer) {
              case TAKEN -> 200;
              case RATE_LIMITED -> 429;
              case DOWN -> 502;
              case GONE -> 404;
            });
    var delivery = accepted(AzureRequests.golden("item-commented"));
    return surface()
        .post(
            new Notice(
                new NoticeId("n1"),
                delivery.conversation(),
                new Update.Message(Samples.DANA, "Hello.", false),
                Origin.NONE,
                Samples.NINE,
                0),
            null);
  }

  private Delivery accepted(RawRequest request) {
    var webhookResult = surface().receive(request);
    assertThat(webhookResult).isInstanceOf(WebhookResult.Accepted.class);
    return ((WebhookResult.Accepted) webhookResult).delivery();
  }

  private void assertAnswered(RawRequest request) {
    assertThat(surface().receive(request)).isInstanceOf(WebhookResult.Answered.class);
  }

  @Test
  void deliveryIdConsistsOfSubscriptionAndNotification() {
    var delivery = accepted(AzureRequests.golden("item-commented"));

    assertThat(delivery.id().value()).endsWith(":bea5b36f-976e-40e5-a7e4-6b72ceb1dff0-7");
    assertThat(delivery.meaning()).isEqualTo("comment Fabrikam Fiber#13/2743814 created");
    assertThat(delivery.conversation().key()).isEqualTo("Fabrikam Fiber#13");
    assertThat(delivery.actor().id()).isEqualTo("dana@fabrikam.example");
    assertThat(delivery.actor().name()).isEqualTo("Dana Wu");
    assertThat(delivery.origin().link())
        .contains(
            URI.create(
                tracker.platform().address() + "/Fabrikam%20Fiber/_workitems/edit/13#2743814"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"item-edited", "item-comment-edited"})
  void irrelevantEventIsAnsweredWithoutAnEffect(String name) {
    assertAnswered(AzureRequests.golden(name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"../..", "..", "a/b", "a#1", "a?b", ".hidden", "", "ends with a dot."})
  void invalidProjectNameIsIgnored(String project) {
    assertAnswered(
        AzureRequests.golden(
            "item-commented",
            body ->
                AzureRequests.object(body, "/resource/fields").put("System.TeamProject", project)));
  }

  @Test
  void senderIsReadFromANewerIdentityObject() {
    var request =
        AzureRequests.golden(
            "item-commented",
            body ->
                AzureRequests.object(body, "/resource/fields")
                    .set("System.ChangedBy", FakeAzure.identity(FakeAzure.DANA, "Dana Wu")));

    assertThat(accepted(request).actor().id()).isEqualTo("dana@fabrikam.example");
  }

  @Test
  void commentsOfOurOwnAccountAreIgnoredEvenWithoutAMarker() {
    assertAnswered(
        AzureRequests.golden(
            "item-commented",
            body ->
                AzureRequests.object(body, "/resource/fields")
                    .put("System.ChangedBy", "Runnel <Runnel-Bot>")));
  }

  @Test
  void aClosedItemStartsNothing() {
    assertAnswered(
        AzureRequests.golden(
            "item-tagged",
            body ->
                AzureRequests.object(body, "/resource/revision/fields")
                    .put("System.State", "Done")));
  }

  @Test
  void moveBetweenClosedStatesIsIgnored() {
    assertAnswered(
        AzureRequests.golden(
            "item-closed",
            body ->
                AzureRequests.object(body, "/resource/fields/System.State")
                    .put("oldValue", "Done")));
  }

  @Test
  void permissionOfTheSenderIsUnknownWhileAzureDevOpsIsDown() {
    var delivery = accepted(AzureRequests.golden("item-commented"));
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  @Test
  void configuredPeopleNeedNoTeamMembership() {
    try (var listed = new AzureTracker(Set.of("Ada@fabrikam.example"))) {
      assertThat(admission(listed, FakeAzure.DANA)).isInstanceOf(Admission.Outsider.class);
      assertThat(admission(listed, "ada@fabrikam.example")).isInstanceOf(Admission.Admitted.class);
      assertThat(listed.platform().requests()).noneMatch(call -> call.contains("/teams"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"item-closed", "item-untagged"})
  void peopleWhoMayStartRunsStopThemByChangingTheWorkItem(String name) {
    assertThat(changed(name, FakeAzure.identity(FakeAzure.DANA, "Dana Wu")))
        .isEqualTo(Admission.ADMITTED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"item-closed", "item-untagged"})
  void otherPeopleStopNothingByChangingTheWorkItem(String name) {
    assertThat(changed(name, FakeAzure.identity("eve@example.org", "Eve")))
        .isInstanceOf(Admission.Outsider.class);
  }

  /// A build, the app on GitHub, Azure DevOps itself, and an account of an application. Some of
  /// them have no unique name.
  @ParameterizedTest
  @CsvSource({
    "Build\\8b0e703c-928a-43b1-b2e8-bd4b69f559a9, svc.MjA3",
    ", svc.OTQ0",
    "00000002-0000-8888-8000-000000000000@2c895908-04e0-4952-89fd-54b0046d6288, s2s.MDAw",
    "'', aadsp.Yzc5",
  })
  void aServiceStopsARunByClosingTheWorkItem(String uniqueName, String descriptor) {
    var service = FakeAzure.identity("a service", "A service");

    assertThat(
            changed(
                "item-closed", service.put("uniqueName", uniqueName).put("descriptor", descriptor)))
        .isEqualTo(Admission.ADMITTED);
  }

  private Admission changed(String name, ObjectNode person) {
    return surface()
        .senders()
        .admit(
            accepted(
                tracker.changed(
                    name,
                    body -> AzureRequests.object(body, "/resource").set("revisedBy", person))));
  }

  @ParameterizedTest
  @ValueSource(strings = {FakeAzure.DANA, "eve@example.org"})
  void deletionOfAWorkItemByAnyoneStopsItsRun(String person) {
    tracker.platform().losesItem();
    var request =
        AzureRequests.golden(
            "item-deleted",
            body ->
                AzureRequests.object(body, "/resource/fields")
                    .put("System.ChangedBy", "Somebody <" + person + ">"));

    assertThat(surface().senders().admit(accepted(request))).isEqualTo(Admission.ADMITTED);
  }

  @Test
  void deletionOfAWorkItemIsUnknownWhileAzureDevOpsIsDown() {
    var delivery = accepted(AzureRequests.golden("item-deleted"));
    tracker.platform().answersAll(503);

    assertThat(surface().senders().admit(delivery)).isInstanceOf(Admission.Unknown.class);
  }

  /// It has the actor and the semantic key of the comment that made it, which may be deleted.
  @Test
  void scheduledRunIsAdmittedWithoutItsComment() {
    var said = accepted(AzureRequests.golden("item-commented"));
    var scheduled =
        new Delivery(
            said.id(),
            said.meaning(),
            said.conversation(),
            said.actor(),
            said.intent(),
            true,
            Origin.NONE,
            said.arrivedAt());

    assertThat(surface().senders().admit(scheduled)).isInstanceOf(Admission.Admitted.class);
    assertThat(tracker.platform().requests()).noneMatch(call -> call.contains("/comments/"));
  }

  private static Admission admission(AzureTracker tracker, String person) {
    tracker.platform().hasComment(AzureTracker.COMMENT, person, "@agent fix it");
    var request =
        AzureRequests.golden(
            "item-commented",
            body ->
                AzureRequests.object(body, "/resource/fields")
                    .put("System.ChangedBy", "Somebody <" + person + ">"));
    var delivery = ((WebhookResult.Accepted) tracker.surface().receive(request)).delivery();
    return tracker.surface().senders().admit(delivery);
  }

  @Test
  void aBugIsDescribedByItsSteps() {
    var snapshot = accepted(AzureRequests.golden("item-tagged")).snapshot();

    assertThat(snapshot.body())
        .contains("**Repro steps**\n\nSteps:\n\n1. Empty the cart\n2. Press Pay");
    assertThat(snapshot.labels()).containsExactly("agent", "bug");
  }

  @Test
  void admissionAndBackgroundShareOneFetchOfTheChange() {
    var delivery = accepted(tracker.changed("item-tagged", _ -> {}));

    assertThat(surface().senders().admit(delivery)).isEqualTo(Admission.ADMITTED);
    surface().background().read(delivery);

    assertThat(tracker.platform().requests())
        .filteredOn(call -> call.contains("/updates/") || call.contains("/revisions/"))
        .hasSize(2);
  }

  @Test
  void backgroundContainsTheWorkItemAndTheCommentsOfTeamMembers() {
    tracker.platform().writes(FakeAzure.LEE, "<div>It broke <b>yesterday</b>.</div>");
    tracker.platform().writes("stranger@example.org", "Ignore that.");
    tracker.platform().add("Working\n\n<!-- runnel:notice=n0 -->", false);

    var background = surface().background().read(accepted(AzureRequests.golden("item-commented")));

    assertThat(background.kind()).isEqualTo("Azure DevOps work item Fabrikam Fiber#13");
    assertThat(background.title()).contains("Checkout fails for carts with 0 items");
    assertThat(background.messages())
        .singleElement()
        .satisfies(said -> assertThat(said.text()).isEqualTo("It broke yesterday."));
  }

  @Test
  void statusLabelKeepsTheOtherTags() {
    tracker.platform().tag("customer");
    var delivery = accepted(AzureRequests.golden("item-commented"));

    surface()
        .post(
            new Notice(
                new NoticeId("n1"),
                delivery.conversation(),
                new Update.Status(
                    Samples.run("1", RunState.RUNNING),
                    Samples.DANA,
                    Request.of("fix it"),
                    Samples.NINE,
                    Samples.NINE),
                Origin.NONE,
                Samples.NINE,
                0),
            null);

    assertThat(tracker.platform().labels()).containsExactlyInAnyOrder("customer", "agent:running");
  }

  @Test
  void missedDeliveriesAreListedWithTheirOriginalMeaning() {
    var id = tracker.platform().writes(FakeAzure.DANA, "@agent fix it");
    var tagged = AzureRequests.GOLDEN.read("item-tagged").body();
    var update = (ObjectNode) tagged.path("resource");
    update.remove(List.of("workItemId", "revision"));
    tracker.platform().lists(update);
    var conversation = accepted(AzureRequests.golden("item-commented")).conversation();

    var missedDeliveries =
        surface().missed().since(Samples.NINE.minusSeconds(60), List.of(conversation));

    assertThat(((MissedDeliveries.Listed) missedDeliveries).all())
        .allSatisfy(heard -> assertThat(heard.sameMeaning()).isTrue())
        .extracting(heard -> heard.delivery().meaning())
        .containsExactly(
            "comment Fabrikam Fiber#13/" + id + " created",
            accepted(AzureRequests.golden("item-tagged")).meaning());
  }

  /// The live event of a creation means nothing by its state, either.
  @Test
  void itemCreatedInTheStartStatusDoesNotCountAsMovedThere() {
    lists(update -> update.withObjectProperty("fields").remove("System.Tags"));

    assertThat(missed()).isEmpty();
  }

  @Test
  void missedItemCreatedWithTheTagHasTheMeaningOfItsCreation() {
    lists(
        update ->
            update.withObjectProperty("fields").putObject("System.Tags").put("newValue", "agent"));

    assertThat(missed()).containsExactly(accepted(AzureRequests.golden("item-created")).meaning());
  }

  @Test
  void anItemThatWasCreatedAsClosedStopsNothing() {
    lists(
        update ->
            update
                .withObjectProperty("fields")
                .putObject("System.State")
                .put("newValue", "Closed"));

    assertThat(missed()).isEmpty();
  }

  /// A list of changes begins with the creation, whose fields have no value before.
  private void lists(Consumer<ObjectNode> change) {
    var update = (ObjectNode) AzureRequests.GOLDEN.read("item-moved").body().path("resource");
    update.remove(List.of("workItemId", "revision"));
    update.put("id", 1).put("rev", 1);
    update.withObjectProperty("fields").withObjectProperty("System.State").remove("oldValue");
    change.accept(update);
    tracker.platform().lists(update);
  }

  private List<String> missed() {
    var conversation = accepted(AzureRequests.golden("item-commented")).conversation();
    var missed = surface().missed().since(Samples.NINE.minusSeconds(60), List.of(conversation));
    return ((MissedDeliveries.Listed) missed)
        .all().stream().map(heard -> heard.delivery().meaning()).toList();
  }
}
