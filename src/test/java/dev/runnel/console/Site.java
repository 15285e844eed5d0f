package dev.runnel.console;

import dev.runnel.console.access.ApiRunSurface;
import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.console.numbers.Numbers;
import dev.runnel.console.transcript.Transcripts;
import dev.runnel.console.transcript.Transcripts.Kind;
import dev.runnel.console.transcript.Transcripts.Line;
import dev.runnel.console.view.About;
import dev.runnel.core.deliver.Courier;
import dev.runnel.core.deliver.FileDelivery;
import dev.runnel.core.deliver.FileLimits;
import dev.runnel.core.deliver.Reminders;
import dev.runnel.core.dispatch.Dispatcher;
import dev.runnel.core.model.AuditEntry;
import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.core.port.RunChangeListener;
import dev.runnel.core.port.RunStatistics;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Approvals.Approval;
import dev.runnel.core.port.Store.Pending;
import dev.runnel.core.recovery.OutageRecovery;
import dev.runnel.core.scope.ConversationScope;
import dev.runnel.core.scope.Surfaces;
import dev.runnel.core.watch.Watcher;
import dev.runnel.database.Database;
import dev.runnel.database.DatabaseException;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.store.SqlSessions;
import dev.runnel.store.SqlStartStatistics;
import dev.runnel.store.SqlStore;
import dev.runnel.store.audit.AuditLog;
import dev.runnel.testkit.Browser;
import dev.runnel.testkit.Dispatchers;
import dev.runnel.testkit.FakeAgentRuns;
import dev.runnel.testkit.FakeSurface;
import dev.runnel.testkit.MigratedFile;
import dev.runnel.testkit.Samples;
import io.javalin.Javalin;
import io.javalin.http.Context;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// The console on a real server and a real store, with workers that are stepped by hand.
final class Site implements AutoCloseable {
  static final About.Platform GITHUB =
      new About.Platform(
          "github",
          "GitHub",
          "GITHUB_WEBHOOK",
          true,
          true,
          "add the label agent to an issue on GitHub",
          "");

  private static final Share MEMORY =
      MemoryBudget.of(256L * 1024 * 1024).share(MemoryBudget.Kind.READERS);

  final FakeAgentRuns runs;
  final Console console;
  final List<Delivery> accepted = new CopyOnWriteArrayList<>();
  private final InstantSource clock;
  private final Database database;
  private final SqlStore store;
  private final Map<RunId, List<Line>> transcripts = new ConcurrentHashMap<>();
  private final Map<RunId, RunCatalog.Details> details = new ConcurrentHashMap<>();
  private final Map<RunId, Optional<Instant>> created = new ConcurrentHashMap<>();
  private final Set<Conversation> conversations = new CopyOnWriteArraySet<>();
  private final ConsoleSurface surface;
  private final Surfaces surfaces;
  private final Random random;
  private final Watcher watcher;
  private final Courier courier;
  private final Javalin server;
  private final ConsoleAuthentication authentication;

  /// @param most maximum number of streams, also of one reader
  static Streams streams(int most, Duration pause, Duration silence) {
    return new Streams(most, most, pause, silence, MEMORY);
  }

  /// @param token of the console
  Site(
      Path folder,
      InstantSource clock,
      @Nullable String token,
      About about,
      Streams streams,
      int port) {
    this(
        folder,
        clock,
        token,
        about,
        streams,
        SignInProviders.closed(URI.create("http://localhost")),
        port);
  }

  /// @param door by which people sign in with accounts
  Site(
      Path folder,
      InstantSource clock,
      @Nullable String token,
      About about,
      Streams streams,
      SignInProviders door,
      int port) {
    this.clock = clock;
    this.runs = new FakeAgentRuns(clock);
    this.database = MigratedFile.open(folder.resolve("runnel.db"), SqlStore.SCHEMA);
    this.store = new SqlStore(database, clock);
    this.authentication = new ConsoleAuthentication(token, new SqlSessions(database, clock), clock);
    this.surface = new ConsoleSurface(authentication);
    var surfaces = Surfaces.of(List.of(surface, new ApiRunSurface(surface), new FakeSurface()));
    var random = new Random(1);
    this.surfaces = surfaces;
    this.random = random;
    this.watcher = new Watcher(store, runs, RunChangeListener.NONE);
    this.courier =
        new Courier(
            store,
            surfaces,
            random,
            Reminders.NONE,
            new OutageRecovery(store, runs, surfaces),
            new FileDelivery(runs, FileLimits.DEFAULT));
    this.console =
        new Console(
            new ConsoleData(
                store,
                runs,
                new Catalog(),
                this::transcript,
                new AuditLog(database),
                new Numbers(
                    (from, to) ->
                        Optional.of(
                            facts.stream()
                                .filter(it -> !it.createdAt().isBefore(from))
                                .filter(it -> it.createdAt().isBefore(to))
                                .toList()),
                    new SqlStartStatistics(database),
                    store,
                    () -> policy,
                    about::source,
                    about::isReadable,
                    clock),
                new SampleOperation(() -> policy, clock),
                DatabaseException.class::isInstance),
            new ConsoleVisitors(authentication, door, () -> policy, false),
            surface,
            about,
            text -> redaction.apply(text),
            clock,
            MEMORY,
            streams);
    this.server =
        Javalin.create(
                config -> {
                  config.startup.showJavalinBanner = false;
                  config.concurrency.useVirtualThreads = true;
                  console.routes(config.routes);
                  config.routes.post("/webhooks/console", this::door);
                })
            .start("127.0.0.1", port);
  }

  void audits(AuditEntry entry) {
    new AuditLog(database).add(entry);
  }

  URI at(String path) {
    return URI.create("http://localhost:" + server.port() + path);
  }

  /// A link that signs in.
  URI link() {
    return at(authentication.newLink());
  }

  /// Opens the link, and presses its button.
  void signIn(Browser browser) throws Exception {
    browser.go(link());
    browser.eval("document.querySelector('form.token button').click(); 1");
    Awaitility.await()
        .ignoreExceptions()
        .until(() -> browser.eval("location.pathname + document.readyState").equals("/complete"));
  }

  /// The path at which the run is shown to whoever has it.
  String shared(Run run) {
    return authentication.share(run.id());
  }

  /// The cookie of somebody who signs in now.
  String signedIn() {
    var link = authentication.newLink();
    var entry = authentication.enterWithLink(link.substring(link.indexOf('=') + 1));
    return ConsoleAuthentication.COOKIE
        + "="
        + ((ConsoleAuthentication.Entry.Entered) entry).session();
  }

  /// The cookie of a person who signs in now.
  String signedIn(SignedInPerson person) {
    return ConsoleAuthentication.COOKIE + "=" + authentication.enter(person);
  }

  private void door(Context ctx) {
    var headers =
        ctx.headerMap().entrySet().stream()
            .collect(
                Collectors.toMap(
                    each -> each.getKey().toLowerCase(Locale.ROOT), Map.Entry::getValue));
    var webhookResult =
        surface.receive(
            new RawRequest("POST", ctx.path(), headers, ctx.bodyAsBytes(), clock.instant()));
    if (webhookResult instanceof WebhookResult.Accepted(var delivery, _)
        && store.accept(delivery)) {
      accepted.add(delivery);
      conversations.add(delivery.conversation());
    }
    var reply = webhookResult.reply();
    ctx.status(reply.status()).contentType(reply.contentType()).result(reply.body());
  }

  /// What the run service says of all runs.
  private final class Catalog implements RunCatalog {
    @Override
    public Result find(Query query) {
      return catalog(query);
    }

    @Override
    public Optional<Details> details(RunId run) {
      return Optional.ofNullable(details.get(run));
    }

    @Override
    public Optional<URI> fileLink(String file) {
      return Optional.of(URI.create(service + "/api/v1/agent/artifacts/" + file + "/content?k=1"));
    }
  }

  /// The service says this about the run.
  void knows(RunId run, RunCatalog.Details about) {
    details.put(run, about);
  }

  RunCatalog.Entry entry(Run run) {
    return new RunCatalog.Entry(
        run,
        created.computeIfAbsent(run.id(), _ -> run.updatedAt()),
        "Rae <b>",
        "user-7",
        "API",
        "claude",
        Optional.of(URI.create("javascript:alert(1)")));
  }

  /// The runs, newest first, three a page; words are looked for in titles.
  private RunCatalog.Result catalog(RunCatalog.Query query) {
    if (query.words().equals("unavailable")) {
      return new RunCatalog.Result.Unavailable("The run service is away.");
    }
    var all =
        runs.runs().reversed().stream()
            .filter(it -> it.title().contains(query.words()))
            .filter(it -> isIn(query, it))
            .filter(it -> query.states().isEmpty() || query.states().contains(it.state()))
            .toList();
    var from = query.cursor().map(Integer::parseInt).orElse(0);
    var size = Math.min(query.limit(), pageSize);
    return new RunCatalog.Result.Listed(
        all.stream().skip(from).limit(size).map(this::entry).toList(),
        all.size() > from + size ? Optional.of("" + (from + size)) : Optional.empty());
  }

  private boolean isIn(RunCatalog.Query query, Run run) {
    if (query.places().isEmpty() && query.conversations().isEmpty()) {
      return true;
    }
    return store
        .<Optional<Binding>>read(bindings -> bindings.of(run.id()))
        .map(Binding::conversation)
        .filter(
            it ->
                query.places().contains(ConversationScope.here(it))
                    || query.conversations().contains(it.id()))
        .isPresent();
  }

  /// What the run service says of its runs in numbers.
  volatile List<RunStatistics.Fact> facts = List.of();

  volatile Policy policy = Policy.NONE;

  /// The address that the run service gives its files.
  volatile String service = "http://localhost";

  /// Removes secrets.
  volatile UnaryOperator<String> redaction = UnaryOperator.identity();

  /// Somebody started a run.
  void counts(Store.Starts.Start start, Run run) {
    store.change(
        work -> {
          work.starts().add(start);
          work.bindings()
              .of(run.id())
              .ifPresent(
                  binding ->
                      work.bindings()
                          .save(
                              binding.seen(
                                  runs.run(run.id()).withDelivery(Optional.of(start.delivery())))));
        });
  }

  /// Maximum number of runs on a page of the list of all runs.
  volatile int pageSize = 50;

  private Optional<Transcripts.Part> transcript(RunId run, long line) {
    return Optional.ofNullable(transcripts.get(run))
        .map(
            all ->
                new Transcripts.Part(
                    all.stream().filter(each -> each.number() > line).limit(1000).toList(),
                    !runs.run(run).state().isTerminal() || all.size() - line > 1000));
  }

  /// A run of the conversation, `QUEUED`.
  Run binds(Conversation conversation, Actor requester, String title, @Nullable String link) {
    var run = runs.addsStranger(title);
    transcripts.put(run.id(), new CopyOnWriteArrayList<>());
    binds(conversation, requester, run, link, clock.instant());
    return run;
  }

  void binds(
      Conversation conversation, Actor requester, Run run, @Nullable String link, Instant since) {
    conversations.add(conversation);
    store.change(
        work -> {
          work.bindings()
              .save(
                  Samples.binding(
                      conversation,
                      run,
                      requester,
                      Request.of(run.title()),
                      new Origin(
                          Optional.ofNullable(link).map(URI::create),
                          Optional.empty(),
                          Optional.empty(),
                          false),
                      Optional.empty(),
                      since,
                      false,
                      0));
        });
  }

  /// The store learns how the run is now.
  void sees(Run run) {
    store.change(
        work -> {
          var binding = work.bindings().of(run.id()).orElseThrow();
          work.bindings().save(binding.seen(runs.run(run.id())));
        });
  }

  /// Somebody says it.
  void arrives(Delivery delivery) {
    conversations.add(delivery.conversation());
    store.accept(delivery);
  }

  /// Somebody says it, and it is given up.
  void givesUp(Delivery delivery, String why) {
    store.accept(delivery);
    store.change(
        work -> {
          work.inbox().begin(delivery.id());
          work.inbox().park(delivery.id(), why);
        });
  }

  /// Something is to be told, and that is given up.
  void givesUp(Notice notice, String why) {
    store.change(
        work -> {
          work.outbox().add(notice);
          work.outbox().park(notice.id(), why);
        });
  }

  /// A start waits for an approval.
  void asksFor(Approval approval) {
    store.change(work -> work.approvals().add(approval));
  }

  /// What waits in the conversation.
  List<Pending<Delivery>> waiting(Conversation conversation) {
    return store.commit(work -> work.inbox().waiting(conversation));
  }

  void says(Run run, Kind kind, String text) {
    says(run, kind, 1, text);
  }

  void says(Run run, Kind kind, int execution, String text) {
    var lines = transcripts.computeIfAbsent(run.id(), _ -> new CopyOnWriteArrayList<>());
    lines.add(new Line(lines.size() + 1, execution, kind, clock.instant(), text));
  }

  private Dispatcher dispatcher() {
    return Dispatchers.of(store, runs, surfaces, policy, random);
  }

  /// The workers do what is due.
  void settles() {
    var now = clock.instant();
    for (var conversation : new ArrayList<>(conversations)) {
      dispatcher().step(conversation, now);
    }
    watcher.step(now);
    for (var conversation : new ArrayList<>(conversations)) {
      courier.step(conversation, now);
    }
  }

  @Override
  public void close() {
    console.close();
    server.stop();
    store.close();
    database.close();
  }

  static About.Platform slack(boolean isConnected) {
    return new About.Platform(
        "slack",
        "Slack",
        "SLACK",
        false,
        isConnected,
        "type /agent fix the flaky test in Slack",
        "Run ./runnel connect slack, or set SLACK_BOT_TOKEN and SLACK_APP_TOKEN");
  }
}
