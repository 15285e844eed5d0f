package dev.runnel.core.redact;

import static dev.runnel.testkit.Samples.DANA;
import static dev.runnel.testkit.Samples.NINE;
import static dev.runnel.testkit.Samples.THREAD;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.InfoCard;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question.Configure.Level;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Arrival;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Evidence;
import dev.runnel.core.model.run.Outcome;
import dev.runnel.core.model.run.Prompt;
import dev.runnel.core.model.run.Replies;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.FileUploader;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.Samples;
import dev.runnel.testkit.SettableClock;
import dev.runnel.text.Redactor;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedactionTest {
  private static final String SECRET = "our-own-secret";
  private static final String TOKEN = "ghp_" + "a1B2c3D4e5".repeat(4);
  private static final String TEXT = "Use " + SECRET + " and " + TOKEN;
  private static final Redactor REDACTOR = Redactor.of(List.of(SECRET));
  private static final RunOptions TITLED =
      new RunOptions(
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.of(TEXT),
          Optional.empty());
  private static final Request REQUEST = new Request(TEXT, TITLED);
  private static final Run RUN =
      Samples.run(
          new RunId("r1"),
          TEXT,
          RunState.RUNNING,
          "INPROGRESS",
          Optional.of(TEXT),
          false,
          Optional.empty(),
          List.of(new Artifact(TEXT, URI.create("https://" + TOKEN + "@github.com/a/b"), true)),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
  private static final Binding BINDING =
      Samples.binding(THREAD, RUN, DANA, REQUEST, Origin.NONE, Optional.empty(), NINE, false, 1);
  private static final Update.Status STATUS = new Update.Status(RUN, DANA, REQUEST, NINE, NINE);
  private static final List<Screen.Field> FIELDS =
      List.of(
          new Screen.Field(
              "prompt", "Base prompt", Optional.of(TEXT), Optional.of(TEXT), "", List.of()));

  static final List<Update> UPDATES =
      List.of(
          STATUS,
          new Update.Still(STATUS),
          new Update.Blocked(RUN, DANA, TEXT),
          new Update.QuestionClosed(RUN, TEXT, Optional.of(TEXT), Optional.of(DANA)),
          new Update.Succeeded(RUN, DANA, NINE, NINE),
          new Update.Failed(RUN, DANA, TEXT, true),
          new Update.Cancelled(RUN, DANA),
          new Update.FileMade(RUN, DANA, new RunFile("f1", TEXT, "text/plain", 3, "abc", false), 1),
          new Update.Reminder(RUN, DANA, TEXT, 1, NINE, NINE),
          new Update.Message(DANA, TEXT, true),
          new Update.Listed(DANA, List.of(BINDING)),
          new Update.Answered(
              DANA,
              new InfoCard(
                  TEXT,
                  List.of(new InfoCard.Row(TEXT, TEXT, TEXT, Optional.empty())),
                  List.of(new InfoCard.Next(TEXT, TEXT)))),
          new Update.Screened(
              DANA, new Screen.Ask(Optional.empty(), Optional.empty(), TEXT, FIELDS)),
          new Update.Screened(DANA, new Screen.Preferences(Level.HERE, FIELDS)),
          new Update.Screened(
              DANA,
              new Screen.Home(
                  List.of(BINDING),
                  List.of(BINDING),
                  List.of(BINDING),
                  0,
                  FIELDS,
                  List.of(),
                  NINE)),
          new Update.Helped(DANA),
          new Update.Received(new PostRef("1")));

  private final List<Object> shown = new ArrayList<>();
  private final Surface surface = new RedactedSurface(new Listening(shown), REDACTOR);

  @ParameterizedTest
  @FieldSource("UPDATES")
  void noUpdateIsPostedWithASecret(Update update) {
    surface.post(new Notice(new NoticeId("n1"), THREAD, update, Origin.NONE, NINE, 0), null);

    assertThat(shown).hasSize(1);
    assertThat(shown.toString()).doesNotContain(SECRET, TOKEN);
  }

  @Test
  void redactionWithoutASecretChangesNothing() {
    var run =
        new Run(
            new RunId("r1"),
            "Fix it",
            RunState.CANCELLED,
            "CANCELLED",
            Optional.of("so far"),
            true,
            true,
            Optional.of(URI.create("https://runnel.example.com/runs/r1")),
            List.of(
                new Artifact(
                    "acme/shop#7",
                    URI.create("https://github.com/acme/shop/pull/7"),
                    true,
                    Optional.of("fix"))),
            Optional.of("$1"),
            Optional.of(Duration.ofSeconds(3)),
            Optional.of(NINE),
            Optional.of(new DeliveryId("fake:1")),
            Optional.of("web"),
            Optional.of("fast"),
            Optional.of(
                new Replies(Set.of(new DeliveryId("fake:2")), Set.of(new DeliveryId("fake:3")))),
            List.of(new RunFile("f1", "a.md", "text/markdown", 3, "abc", true)),
            Optional.of(
                new Evidence(
                    2,
                    1,
                    Optional.of(List.of(new Evidence.TestRun("npm test", Optional.of(1)))),
                    Optional.of(Evidence.Mismatch.FAILED))),
            Optional.of(new RunId("r0")));
    var end = new Update.Cancelled(run, DANA, Optional.empty(), List.of("and add a test"));

    assertThat(new TextMapping(text -> text).update(end)).isEqualTo(end);
  }

  /// The secret lies on the edge of the pieces in which files are looked at.
  @ParameterizedTest
  @ValueSource(ints = {0, 256 * 1024 - 5, 448 * 1024 - 5, 3_000_000})
  void secretInALargeFileIsFoundWhereverItIs(int at) {
    var service = new FakeAgentRuns(InstantSource.fixed(NINE));
    var id = service.addsStranger("Fix it").id();
    var runs = new RedactedRuns(service, REDACTOR);
    var file = new RunFile("f1", "a.log", "text/plain", 3, "", false);
    service.handsOver(id, file, " ".repeat(at) + SECRET + " ".repeat(3_000_000 - at));

    assertThat(runs.content(file, 100_000_000))
        .isEqualTo(new FileContent.Withheld("it contains a secret"));
  }

  @Test
  void fileWithASecretIsWithheldRegardlessOfItsType() {
    var service = new FakeAgentRuns(InstantSource.fixed(NINE));
    var id = service.addsStranger("Fix it").id();
    var runs = new RedactedRuns(service, REDACTOR);
    var plain = new RunFile("f1", "a.md", "text/markdown", 3, "", false);
    var secret = new RunFile("f2", "b.png", "image/png", 3, "", false);
    service.handsOver(id, plain, "It works");
    service.handsOver(id, secret, "\u0000é" + SECRET);

    assertThat(runs.content(plain, 100)).isInstanceOf(FileContent.Read.class);
    assertThat(runs.content(secret, 100))
        .isEqualTo(new FileContent.Withheld("it contains a secret"));
    assertThat(runs.content(new RunFile("f1", "a.md", "text/markdown", 3, "abc", false), 100))
        .isEqualTo(new FileContent.Withheld("the agent changed it since"));
  }

  @Test
  void aThreadIsOpenedWithoutASecret() {
    for (var intent :
        List.of(
            new Intent.Start(REQUEST),
            new Intent.Say(REQUEST),
            new Intent.New(REQUEST),
            new Intent.SayTo(new RunId("r1"), REQUEST),
            new Intent.Linked(URI.create("https://a.test"), new Intent.Start(REQUEST)))) {
      surface.threads().open(Samples.delivery("d1", intent), false);
    }

    assertThat(shown).hasSize(5);
    assertThat(shown.toString())
        .contains("Use (redacted) and (redacted)")
        .doesNotContain(SECRET, TOKEN);
  }

  @Test
  void aFileIsUploadedWithoutASecretInItsName() {
    var made = UPDATES.stream().filter(Update.FileMade.class::isInstance).findFirst().orElseThrow();
    var notice = new Notice(new NoticeId("n1"), THREAD, made, Origin.NONE, NINE, 0);

    surface.files().upload(notice, Path.of("unused"));

    assertThat(shown.toString())
        .contains("Use (redacted) and (redacted)")
        .doesNotContain(SECRET, TOKEN);
  }

  @Test
  void theListOfAllRunsIsWithoutSecrets() {
    var entry =
        new RunCatalog.Entry(RUN, Optional.of(NINE), TEXT, "U1", "API", TEXT, Optional.empty());
    var file = new RunCatalog.File("f1", TEXT, false, 3);
    var catalog =
        new RedactedCatalog(
            new RunCatalog() {
              @Override
              public Result find(Query query) {
                return query.words().isEmpty()
                    ? new Result.Listed(List.of(entry), Optional.empty())
                    : new Result.Unavailable(TEXT);
              }

              @Override
              public Optional<Details> details(RunId run) {
                return Optional.of(
                    new Details(
                        entry,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        List.of(),
                        List.of(entry),
                        List.of(file)));
              }
            },
            REDACTOR);

    assertThat(
            List.of(catalog.find(query("")), catalog.find(query("any")), catalog.details(RUN.id()))
                .toString())
        .contains("Use (redacted) and (redacted)")
        .doesNotContain(SECRET, TOKEN);
  }

  private static RunCatalog.Query query(String words) {
    return new RunCatalog.Query(
        words,
        Set.of(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Set.of(),
        Set.of(),
        Optional.empty(),
        50);
  }

  @Test
  void refusalReasonOfAPlatformIsRedacted() {
    var refusing = new FakeSurface();
    for (var refusal :
        List.of(new Posting.Undeliverable(TEXT), new Posting.Later(Optional.empty(), TEXT))) {
      refusing.answersPosts(Optional.of(refusal));

      assertThat(
              new RedactedSurface(refusing, REDACTOR)
                  .threads()
                  .open(Samples.delivery("d1", Samples.say("Hi")), false)
                  .toString())
          .contains("Use (redacted) and (redacted)");
    }
  }

  @Test
  void redactionTestCoversEveryKindOfUpdate() {
    assertThat(UPDATES.stream().map(Object::getClass).distinct())
        .containsExactlyInAnyOrderElementsOf(cases(Update.class).toList());
    assertThat(
            UPDATES.stream()
                .flatMap(
                    it ->
                        it instanceof Update.Screened(_, var screen)
                            ? Stream.of(screen)
                            : Stream.empty())
                .map(Object::getClass))
        .containsExactlyInAnyOrder(Screen.class.getPermittedSubclasses());
  }

  @Test
  void redactedPortsOverrideEveryMethod() {
    assertThat(methods(RedactedSurface.class)).containsAll(methods(Surface.class));
    assertThat(methods(surface.threads().getClass())).containsAll(methods(ThreadOpener.class));
    assertThat(methods(surface.files().getClass())).containsAll(methods(FileUploader.class));
    assertThat(methods(RedactedRuns.class)).containsAll(methods(AgentRuns.class));
  }

  private static List<String> methods(Class<?> type) {
    return Arrays.stream(type.getDeclaredMethods())
        .filter(method -> !method.isSynthetic())
        .map(RedactionTest::signature)
        .toList();
  }

  private static String signature(Method method) {
    return method.getName() + Arrays.toString(method.getParameterTypes());
  }

  @Nested
  class OfRuns {
    private final FakeAgentRuns service = new FakeAgentRuns(new SettableClock());
    private final RedactedRuns runs = new RedactedRuns(service, REDACTOR);
    private final DeliveryId key = new DeliveryId("d1");

    @Test
    void aPromptIsStartedAndFoundAgainWithoutSecrets() {
      var prompt = new Prompt(TEXT, TEXT, TITLED, Map.of(), List.of(), Optional.of(TEXT));

      assertThat(runs.start(prompt, key)).isInstanceOf(Outcome.Done.class);

      assertThat(service.starts().getFirst().prompt().text())
          .isEqualTo("Use (redacted) and (redacted)");
      assertThat(service.starts().toString()).doesNotContain(SECRET, TOKEN);
      assertThat(runs.findStarted(key, NINE, Optional.of(TEXT))).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void followUpIsSentAndFoundAgainWithoutSecrets() {
      var run = service.addsStranger("A run");
      service.moves(run.id(), RunState.SUCCEEDED, "Done");
      var before = service.run(run.id());

      runs.followUp(run.id(), TEXT, key);

      assertThat(service.followUps().getFirst().text()).isEqualTo("Use (redacted) and (redacted)");
      assertThat(runs.followUpArrival(before, TEXT, 0)).isInstanceOf(Arrival.Arrived.class);
    }

    @Test
    void interruptIsSentWithoutSecrets() {
      var run = service.addsStranger("A run");
      service.moves(run.id(), RunState.RUNNING, "At work");

      runs.interrupt(run.id(), TEXT, key);

      assertThat(service.interrupts()).containsExactly(run.id());
      assertThat(service.followUps().getFirst().text()).isEqualTo("Use (redacted) and (redacted)");
    }

    @Test
    void runsAreReadWithoutSecrets() {
      var run = service.addsStranger(TEXT);
      service.moves(run.id(), RunState.RUNNING, TEXT);
      service.makes(run.id(), RUN.artifacts().getFirst());

      var heard =
          List.of(
              runs.find(run.id()),
              runs.changedSince(NINE.minusSeconds(60)),
              runs.unfinished(),
              runs.cancel(run.id()));

      assertThat(heard.toString())
          .contains("Use (redacted) and (redacted)")
          .doesNotContain(SECRET, TOKEN);
    }

    @Test
    void runsAreReadWithoutTerminalControlSequences() {
      var run = service.addsStranger("\u001B]0;title\u0007A \u001B[1mrun");
      service.moves(run.id(), RunState.BLOCKED, "10%\r\u001B[32m100%\u001B[0m\tor\n\u202Emore?");

      var heard = ((Outcome.Done) runs.find(run.id())).run();

      assertThat(heard.title()).isEqualTo("A run");
      assertThat(heard.message()).contains("100%\tor\nmore?");
    }

    @Test
    void refusalsOfTheServiceAreReadWithoutSecrets() {
      service.answersNext(new Outcome.Refused("code", TEXT, Optional.empty()));
      service.answersNext(new Outcome.Unavailable(Optional.empty(), TEXT));

      assertThat(runs.cancel(RUN.id()))
          .isEqualTo(
              new Outcome.Refused("code", "Use (redacted) and (redacted)", Optional.empty()));
      assertThat(runs.cancel(RUN.id()))
          .isEqualTo(new Outcome.Unavailable(Optional.empty(), "Use (redacted) and (redacted)"));
    }
  }

  /// Keeps what it is to show.
  private record Listening(List<Object> shown) implements Surface {
    @Override
    public SurfaceId id() {
      return Samples.SURFACE;
    }

    @Override
    public WebhookResult receive(RawRequest request) {
      throw new AssertionError("Nothing is received here");
    }

    @Override
    public ThreadOpener threads() {
      return (delivery, _) -> {
        shown.add(delivery);
        return new Posting.Posted(new PostRef("1"), THREAD);
      };
    }

    @Override
    public FileUploader files() {
      return new FileUploader() {
        @Override
        public boolean accepts(Conversation conversation) {
          return true;
        }

        @Override
        public Posting upload(Notice notice, Path content) {
          return post(notice, null);
        }
      };
    }

    @Override
    public Posting post(Notice notice, @Nullable PostRef status) {
      shown.add(notice.update());
      return new Posting.Posted(new PostRef("1"), THREAD);
    }
  }

  private static Stream<Class<?>> cases(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(RedactionTest::cases)
        : Stream.of(type);
  }
}
