package dev.runnel.console.access;

import dev.runnel.core.command.MessageParser;
import dev.runnel.core.model.AskedQuestion;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.DeliveryId;
import dev.runnel.core.model.conversation.Origin;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The console as a surface: its pages post their forms to [#PATH].
///
/// A message about a run goes to that run's own conversation, whatever its surface, so that its
/// order holds. Nothing is sent out: the pages read the bindings. Answers to the person are kept in
/// memory.
public final class ConsoleSurface implements Surface, SenderLookup {
  public static final SurfaceId ID = SurfaceId.CONSOLE;
  public static final String PATH = "/webhooks/console";

  public static final Actor PERSON = new Actor("console", "the console");
  private static final String EMPTY_START = "Describe what the agent should do.";
  private static final String COMMAND_AT_START =
      "This is a command. Enter commands on the page of a run, and here a sentence that describes"
          + " what the agent should do.";
  private static final String NOT_HERE =
      "This run was started through the API. Here you can write to it and stop it; start others"
          + " through the API, or on the page of all runs.";
  private static final String ANSWER = "answer";
  private static final String EMPTY_REPLY = "Enter a message first.";
  private static final String ASIDE =
      "A message that starts with `aside` or // is not for the agent. It was not sent.";

  private final ConsoleAuthentication authentication;
  private final FlashMessages flashMessages = new FlashMessages();

  public ConsoleSurface(ConsoleAuthentication authentication) {
    this.authentication = authentication;
  }

  @Override
  public SurfaceId id() {
    return ID;
  }

  @Override
  public int maxBodyBytes() {
    return Form.MAX_BYTES;
  }

  /// Reads the sender's session from the database, one short read concurrent with the writer.
  ///
  /// The body of an accepted reply is the conversation's id; that of a 422 tells the person what to
  /// do.
  @Override
  public WebhookResult receive(RawRequest request) {
    if (!isFromOurPage(request)) {
      return WebhookResult.Rejected.with(401, "posted from another site");
    }
    Optional<ConsoleAuthentication.Visitor> visitor;
    try {
      visitor = authentication.visitor(request.header("Cookie"), request.header("Authorization"));
    } catch (RuntimeException unreadable) {
      return new WebhookResult.Rejected(
          Reply.text(503, "The sessions cannot be read now.\n"), unreadable.toString());
    }
    if (visitor.isEmpty()) {
      return WebhookResult.Rejected.with(401, "not signed in");
    }
    try {
      var form = Form.parse(request);
      return visitor.get().isPageKey(form.page())
          ? read(form, request, visitor.get().actor())
          : WebhookResult.Rejected.with(401, "not a page of this console");
    } catch (IllegalArgumentException unreadable) {
      return WebhookResult.Rejected.with(400, "the form cannot be read");
    }
  }

  /// Whether the form was posted from the same site, by the browser's headers. Programs that send
  /// no such headers still need the page key.
  public static boolean isFromOurPage(RawRequest request) {
    var site = request.header("sec-fetch-site");
    if (site.isPresent()) {
      return site.get().equals("same-origin");
    }
    var origin = request.header("origin");
    return origin.isEmpty()
        || request.header("host").filter(host -> origin.get().endsWith("://" + host)).isPresent();
  }

  private static WebhookResult read(Form form, RawRequest request, Actor by) {
    return switch (form.action()) {
      case "start" -> start(form, request, by);
      case "say" -> say(form, request, by);
      case "stop" ->
          accepted(
              form,
              form.conversation(),
              new Intent.Cancel(Optional.of(form.run()), Optional.empty()),
              request,
              by);
      case "approve", "decline" ->
          accepted(
              form,
              form.conversation(),
              new Intent.Ask(
                  new Question.Decide(Optional.of(form.id()), form.action().equals("approve"))),
              request,
              by);
      case "retry" ->
          form.isAboutRunOfApi()
              ? problem(NOT_HERE)
              : accepted(
                  form,
                  form.conversation(),
                  new Intent.Retry(Optional.of(form.run())),
                  request,
                  by);
      default -> answer(form, request, by);
    };
  }

  /// A choice of the run's question: the button's value holds the question and the answer.
  private static WebhookResult answer(Form form, RawRequest request, Actor by) {
    var parts = form.action().replace("\r\n", "\n").split("\n", 3);
    return Optional.of(parts)
        .filter(it -> it.length == 3 && it[0].equals(ANSWER) && !it[2].isBlank())
        .flatMap(it -> AskedQuestion.parse(it[1]))
        .map(
            asked ->
                accepted(
                    form,
                    form.conversation(),
                    new Intent.SayTo(asked.run(), Request.of(parts[2]), Optional.of(asked)),
                    request,
                    by))
        .orElseGet(() -> WebhookResult.Rejected.with(400, "no such action"));
  }

  /// The value of a button that answers the question.
  public static String answerAction(AskedQuestion asked, String choice) {
    return String.join("\n", ANSWER, asked.value(), choice);
  }

  private static WebhookResult start(Form form, RawRequest request, Actor by) {
    if (form.text().isBlank()) {
      return problem(EMPTY_START);
    }
    var intent = MessageParser.command(form.text());
    return switch (intent) {
      case Intent.Start _ ->
          accepted(form, new Conversation(ID, "runs/" + form.key()), intent, request, by);
      case Intent.Unclear(var why, var work) -> problem(why + asWork(work));
      case Intent.ForAgent _,
          Intent.RunCommand _,
          Intent.GeneralCommand _,
          Intent.PlatformEvent _,
          Intent.Link _,
          Intent.Linked _,
          Intent.Help _ ->
          problem(COMMAND_AT_START);
    };
  }

  private static WebhookResult say(Form form, RawRequest request, Actor by) {
    if (form.text().isBlank()) {
      return problem(EMPTY_REPLY);
    }
    var parsed = MessageParser.words(form.text(), false);
    if (parsed.isEmpty()) {
      return problem(ASIDE);
    }
    var intent = parsed.get();
    return switch (intent) {
      case Intent.Unclear(var why, var work) -> problem(why + asWork(work));
      case Intent.Help _ ->
          problem(
              "Messages go to the agent. `stop` stops the run, `retry` starts it again when it has"
                  + " ended.");
      case Intent.Status _ -> problem("The status of the run is at the top of this page.");
      // `approve` and `decline` about a plan. Starts that wait for an approval have buttons.
      case Intent.Ask(Question.Decide(var approval, _)) when approval.isEmpty() ->
          accepted(
              form,
              form.conversation(),
              new Intent.SayTo(form.run(), Request.of(form.text().strip())),
              request,
              by);
      case Intent.SayTo _, Intent.Link _, Intent.Linked _, Intent.CancelMine _, Intent.Ask _ ->
          problem(COMMAND_AT_START);
      case Intent.Retry _, Intent.Start _, Intent.New _, Intent.ListRuns _
          when form.isAboutRunOfApi() ->
          problem(NOT_HERE);
      // The page's run, which need not be the thread's current one.
      case Intent.Say(var words) ->
          accepted(form, form.conversation(), new Intent.SayTo(form.run(), words), request, by);
      case Intent.RunCommand command ->
          accepted(form, form.conversation(), command.about(form.run()), request, by);
      case Intent.Start _, Intent.New _, Intent.ListRuns _ ->
          accepted(form, form.conversation(), intent, request, by);
      case Intent.PlatformEvent _ -> problem(EMPTY_REPLY);
    };
  }

  private static WebhookResult accepted(
      Form form, Conversation conversation, Intent intent, RawRequest request, Actor by) {
    var delivery =
        new Delivery(
            DeliveryId.of(ID, form.key()),
            ID + ":" + form.key(),
            conversation,
            by,
            intent,
            true,
            new Origin(form.link(), Optional.empty(), Optional.empty(), false),
            request.arrivedAt());
    return new WebhookResult.Accepted(delivery, Reply.text(200, conversation.id()));
  }

  private static String asWork(Optional<Request> work) {
    return work.map(
            it -> " To start a run with this text, write `run: %s`.".formatted(it.text().strip()))
        .orElse("");
  }

  private static WebhookResult problem(String text) {
    return new WebhookResult.Answered(Reply.text(422, text));
  }

  /// Not used: each start has a conversation of its own.
  @Override
  public ThreadOpener threads() {
    return (delivery, _) ->
        new Posting.Posted(new PostRef(delivery.id().value()), delivery.conversation());
  }

  @Override
  public SenderLookup senders() {
    return this;
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    switch (notice.update()) {
      case Update.Message(_, var text, _) ->
          flashMessages.add(notice.conversation().inConsole(), text);
      case Update.Answered(_, var card) ->
          flashMessages.add(notice.conversation().inConsole(), card.text());
      case Update.OfRun _, Update.Still _, Update.Reply _, Update.Received _ -> {}
    }
    var ref = status != null ? status : new PostRef(notice.id().value());
    return new Posting.Posted(ref, notice.conversation());
  }

  @Override
  public ConversationPolicy conversationPolicy(Conversation conversation) {
    return new ConversationPolicy(ConversationPolicy.Audience.EVERYONE, Duration.ZERO, true);
  }

  /// Posts notify nobody; people open the page.
  @Override
  public boolean isSilent() {
    return true;
  }

  /// Whether the sender used a link or the token, which only operators have.
  @Override
  public boolean isByOperator(Delivery delivery) {
    return delivery.actor().id().equals(PERSON.id());
  }

  /// Other people may do what a policy permits, and nothing without one.
  @Override
  public Admission admit(Delivery delivery) {
    return isByOperator(delivery)
        ? Admission.ADMITTED
        : new Admission.Outsider(
            "signed in at the console",
            Optional.of("No policy permits this. Ask whoever runs Runnel for policy.rules."));
  }

  @Override
  public Optional<Set<String>> names(Delivery delivery) {
    return isByOperator(delivery)
        ? Optional.empty()
        : Optional.of(authentication.names(delivery.actor().id()));
  }

  /// The latest few answers in the conversation, oldest first.
  public List<String> notes(Conversation conversation) {
    return flashMessages.of(conversation.inConsole());
  }

  /// The link, if it is an HTTP or HTTPS URL.
  public static Optional<URI> web(String link) {
    return link.startsWith("https://") || link.startsWith("http://")
        ? Optional.of(URI.create(link))
        : Optional.empty();
  }
}
