package dev.runnel.surface.slack.post;

import com.slack.api.model.Message;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.FileUploader;
import dev.runnel.core.port.ThreadOpener;
import dev.runnel.core.text.AnswerFormatter;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackPages;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.ChannelStyles.Style;
import dev.runnel.surface.slack.model.SlackBehavior;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPermalinks;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.surface.slack.model.SlackReplyTo;
import dev.runnel.surface.slack.model.SlackStep;
import dev.runnel.surface.slack.model.WatchedChannels;
import dev.runnel.surface.slack.render.SlackRenderer;
import dev.runnel.surface.slack.render.SlackTexts;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Posts to Slack: first messages of threads, replies, edits, and ephemeral messages.
///
/// @implSpec Thread-safe. Before a post is repeated, an earlier attempt's post is searched for.
public record SlackPosts(
    SlackWorkspaces workspaces,
    SlackBehavior behavior,
    SlackScreens screens,
    SlackAgentView agentView)
    implements SlackStreams.PlainMessages, ThreadOpener, FileUploader {
  private static final int MAX_PAGES = 20;

  /// In characters.
  private static final int MAX_STEP_ANSWER = 3_000;

  /// Prefix of references without a message.
  private static final String NO_MESSAGE = "~";

  // Slack's clock and ours may differ when we search for an earlier post.
  static final Duration CLOCK_SKEW = Duration.ofHours(1);

  /// Posts the first message of a conversation that has no thread yet; in a thread, posts the
  /// request, which is not visible there.
  @Override
  public Posting open(Delivery delivery, boolean again) {
    var asked = SlackPlace.of(delivery.conversation());
    var api = api(asked);
    // A form names the thread; a reaction only names the message.
    var found =
        delivery.origin().replyTo().isPresent()
            ? new SlackResponse.Ok<>(asked)
            : resolveThread(api, asked);
    if (found instanceof SlackResponse.Wait<SlackPlace>(var after, var why)) {
      return new Posting.Later(after, why);
    }
    var place = found instanceof SlackResponse.Ok<SlackPlace>(var thread) ? thread : asked;
    var mark = SlackPost.Mark.content(delivery.id().value());
    var post = SlackRenderer.request(delivery.actor(), request(delivery.intent()), mark);
    var oldest = SlackPlace.timestamp(delivery.arrivedAt().minus(CLOCK_SKEW));
    var earlier =
        place.isThread() ? api.thread(place, oldest, null) : api.channel(place.channel(), oldest);
    return switch (postOnce(
        again, earlier, mark, () -> api.post(place.channel(), thread(place), post))) {
      case SlackResponse.Ok<String>(String ts) -> opened(place, ts);
      case SlackResponse.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case SlackResponse.No<String>(String error) -> undeliverable(place, error);
    };
  }

  /// The place with the thread of its message, which may be a reply.
  private static SlackResponse<SlackPlace> resolveThread(SlackApi api, SlackPlace place) {
    return place.isThread()
        ? api.thread(place, null, null)
            .read(null)
            .map(
                page ->
                    page.messages().stream()
                        .filter(it -> place.thread().equals(it.getTs()))
                        .findFirst()
                        .flatMap(it -> Optional.ofNullable(it.getThreadTs()))
                        .filter(it -> !it.isBlank())
                        .map(place::inThread)
                        .orElse(place))
        : new SlackResponse.Ok<>(place);
  }

  private static Posting opened(SlackPlace place, String ts) {
    var thread = place.isThread() ? place : place.inThread(ts);
    return new Posting.Posted(place.message(ts).ref(), thread.conversation());
  }

  private static Request request(Intent intent) {
    return switch (intent) {
      case Intent.Start(Request request) -> request;
      case Intent.New(Request request) -> request;
      case Intent.Say(Request request) ->
          new Request(SlackQuote.requestOf(request.text()), request.options());
      case Intent.Retry _ -> Request.of("retry");
      case Intent.Link(RunId run) -> Request.of("link " + run);
      case Intent.SayTo _,
          Intent.Linked _,
          Intent.RunCommand _,
          Intent.GeneralCommand _,
          Intent.PlatformEvent _,
          Intent.Help _,
          Intent.Unclear _ ->
          throw new IllegalArgumentException("Opens no thread: " + intent);
    };
  }

  /// @param status the status message, once there is one
  public Posting post(Notice notice, @Nullable PostRef status) {
    return switch (notice.update()) {
      case Update.Received received ->
          SlackReactions.set(api(SlackPlace.of(notice.conversation())), behavior, notice, received);
      case Update.Status _, Update.Still _ when isStatusHidden(notice, status) ->
          withoutMessage(notice);
      case Update.Status now -> agentView.status(notice, now, status, this);
      case Update.Still(Update.Status now) -> agentView.renew(notice, now, status, this);
      case Update.Message(Actor to, _, boolean privately) ->
          privately ? postPrivately(notice, to) : postNew(notice);
      case Update.Listed(Actor to, _, _) -> postPrivately(notice, to);
      case Update.Answered(Actor to, var card) ->
          card.choices().isEmpty() ? postPrivately(notice, to) : postNew(notice);
      case Update.Helped(Actor to) -> postPrivately(notice, to);
      case Update.Screened(Actor to, Screen screen) -> showScreen(notice, to, screen);
      case Update.End end -> postEnd(notice, end);
      case Update.Blocked _ -> postNew(notice);
      case Update.Reminder _ -> postNew(notice);
      case Update.FileMade _ ->
          throw new IllegalArgumentException("A file is uploaded, not posted");
      case Update.QuestionClosed _ ->
          status == null
              ? new Posting.Posted(new PostRef(notice.id().value()), notice.conversation())
              : edit(notice, status, false);
    };
  }

  /// Also completes the workflow step that waits for the end. An error means that the step is
  /// already completed, by an earlier attempt or an earlier end of the run.
  private Posting postEnd(Notice notice, Update.End end) {
    var posting = postNew(notice);
    var execution = SlackStep.execution(notice.origin().replyTo());
    if (execution.isEmpty() || posting instanceof Posting.Later) {
      return posting;
    }
    var place = SlackPlace.of(notice.conversation());
    return api(place).completeStep(execution.get(), outputs(place, end))
            instanceof SlackResponse.Wait<String>(var after, var why)
        ? new Posting.Later(after, why)
        : posting;
  }

  private Map<String, String> outputs(SlackPlace place, Update.End end) {
    var run = end.run();
    var link = new SlackPermalinks(workspaces::known).of(place).map(URI::toString).orElse("");
    return switch (end) {
      case Update.Succeeded _ ->
          outputs(link, "succeeded", shareableText(place, run.message().orElse("")));
      case Update.Failed(_, _, var why, _) -> outputs(link, "failed", shareableText(place, why));
      case Update.Cancelled _ -> outputs(link, "cancelled", "");
    };
  }

  /// Empty for a private channel, because the author of the workflow chooses who reads the output.
  private String shareableText(SlackPlace place, String text) {
    return workspaces.of(place.team()).names().isPrivate(place.channel()) ? "" : text;
  }

  private static Map<String, String> outputs(String link, String outcome, String answer) {
    return Map.of(
        "link", link, "outcome", outcome, "answer", AnswerFormatter.cut(answer, MAX_STEP_ANSWER));
  }

  /// Completes a workflow step with the reason why no run starts.
  private Posting failStep(Notice notice, String execution) {
    var why =
        notice.update() instanceof Update.Message(_, var text, _) ? text : "No run was started.";
    return api(SlackPlace.of(notice.conversation())).failStep(execution, why)
            instanceof SlackResponse.Wait<String>(var after, var error)
        ? new Posting.Later(after, error)
        : withoutMessage(notice);
  }

  /// Whether the status is not shown: in a quiet channel, unless the thread begins with the card.
  private boolean isStatusHidden(Notice notice, @Nullable PostRef status) {
    return behavior.styles().of(SlackPlace.of(notice.conversation())) == Style.QUIET
        && (status == null || isNoMessage(status));
  }

  /// The result for a post without a message that could be edited or found again.
  private static Posting withoutMessage(Notice notice) {
    return new Posting.Posted(
        SlackPlace.of(notice.conversation()).message(NO_MESSAGE + notice.id()).ref(),
        notice.conversation());
  }

  private static boolean isNoMessage(PostRef ref) {
    return SlackPlace.Message.of(ref).ts().startsWith(NO_MESSAGE);
  }

  private Posting showScreen(Notice notice, Actor to, Screen screen) {
    return switch (screens.show(api(SlackPlace.of(notice.conversation())), notice, to, screen)) {
      case SlackScreens.ShowResult.TooLate _ ->
          postPrivately(notice.withUpdate(new Update.Message(to, SlackScreens.TOO_LATE, true)), to);
      case SlackScreens.ShowResult.Shown(SlackResponse<String> slackResponse) ->
          posting(notice, slackResponse);
    };
  }

  /// The message that Runnel posted in the channel for a run is the run's card. In a thread that
  /// somebody else began, the status is a separate message.
  @Override
  public boolean isStatusPost(PostRef first, Conversation thread) {
    return SlackPlace.of(thread).isRoot(first);
  }

  @Override
  public boolean accepts(Conversation conversation) {
    return SlackPlace.of(conversation).isThread();
  }

  @Override
  public Posting upload(Notice notice, Path content) {
    if (!(notice.update() instanceof Update.FileMade made)) {
      throw new IllegalArgumentException("Not a file: " + notice.update());
    }
    var place = SlackPlace.of(notice.conversation());
    var workspace = workspaces.of(place.team());
    var oldest = SlackPlace.timestamp(notice.createdAt().minus(CLOCK_SKEW));
    var uploaded =
        new FileUploads(workspace.api(), workspace.files())
            .upload(place, notice, made.file(), content, oldest);
    return switch (uploaded) {
      case SlackResponse.No<String>(String error) ->
          postNew(notice.withUpdate(notUploaded(made, error)));
      case SlackResponse<String> response ->
          // A file is neither edited nor looked up later, so any reference is valid.
          posting(notice, response.map(_ -> NO_MESSAGE + notice.id()));
    };
  }

  private static Update.Message notUploaded(Update.FileMade made, String error) {
    return new Update.Message(
        made.requester(),
        "Slack refused the file `%s` (`%s`)."
            .formatted(made.file().name().replace('`', '\''), error),
        false);
  }

  /// Posts a new message in the thread.
  @Override
  public Posting postNew(Notice notice) {
    var place = SlackPlace.of(notice.conversation());
    var api = api(place);
    var mark = mark(notice);
    var oldest = SlackPlace.timestamp(notice.createdAt().minus(CLOCK_SKEW));
    var tooLong = SlackRenderer.tooLong(notice.update(), mark);
    if (tooLong.isPresent() && place.isThread()) {
      var workspace = workspaces.of(place.team());
      var fileAnswers = new FileAnswers(workspace.api(), workspace.files());
      return posting(
          notice,
          fileAnswers.post(place, notice, mark, tooLong.get(), oldest, isForChannel(notice)));
    }
    var post = SlackRenderer.render(notice.update(), mark);
    var earlier =
        place.isThread() ? api.thread(place, oldest, null) : api.channel(place.channel(), oldest);
    return posting(
        notice,
        postOnce(
            notice.tries() > 0,
            earlier,
            mark,
            () -> api.post(place.channel(), thread(place), post, isForChannel(notice))));
  }

  /// Whether the channel also shows the message: questions and ends, if the channel's style says
  /// so.
  private boolean isForChannel(Notice notice) {
    return behavior.styles().of(SlackPlace.of(notice.conversation())) == Style.CHANNEL
        && switch (notice.update()) {
          case Update.Blocked _, Update.Succeeded _, Update.Failed _, Update.Cancelled _ -> true;
          default -> false;
        };
  }

  private static @Nullable String thread(SlackPlace place) {
    return place.isThread() ? place.thread() : null;
  }

  private static SlackPost.Mark mark(Notice notice) {
    var id = notice.id().value();
    return notice.update() instanceof Update.Succeeded
        ? SlackPost.Mark.content(id)
        : SlackPost.Mark.of(id);
  }

  @Override
  public Posting edit(Notice notice, PostRef status, boolean orPostNew) {
    var place = SlackPlace.of(notice.conversation());
    var post =
        notice.update() instanceof Update.Status now && place.isRoot(status)
            ? SlackRenderer.card(now, SlackPost.Mark.content(notice.id().value()))
            : SlackRenderer.render(notice.update(), mark(notice));
    var api = api(place);
    return switch (api.update(SlackPlace.Message.of(status), post)) {
      // The message was deleted, or the workspace does not allow old messages to be edited.
      case SlackResponse.No<String>(String error)
          when error.equals("message_not_found")
              || error.equals("edit_window_closed")
              || error.equals("cant_update_message") ->
          orPostNew ? postNew(notice) : new Posting.Posted(status, notice.conversation());
      case SlackResponse<String> slackResponse -> posting(notice, slackResponse);
    };
  }

  /// Answers one user privately: at the response URL of their command, else as an ephemeral
  /// message.
  private Posting postPrivately(Notice notice, Actor to) {
    var place = SlackPlace.of(notice.conversation());
    if (WatchedChannels.isRequester(to)) {
      // An app cannot read it, and a refusal for each alert would fill the channel.
      return withoutMessage(notice);
    }
    var step = SlackStep.execution(notice.origin().replyTo());
    if (step.isPresent() && SlackStep.isRequester(to)) {
      return failStep(notice, step.get());
    }
    var post = SlackRenderer.render(notice.update(), mark(notice));
    var replyTo = SlackReplyTo.of(notice.origin().replyTo()).address();
    if (replyTo.isPresent()) {
      var slackResponse = api(place).respond(replyTo.get(), post);
      if (!(slackResponse instanceof SlackResponse.No<String>)) {
        return privatePosting(notice, slackResponse);
      }
    }
    if (place.isDirect()) {
      return postNew(notice);
    }
    if (notice.origin().home().isPresent()) {
      // Someone who asked on the Home tab does not read this channel.
      return privatePosting(notice, api(place).post(to.id(), null, post));
    }
    var slackResponse = api(place).postPrivately(place.channel(), thread(place), to.id(), post);
    if (!(slackResponse instanceof SlackResponse.No<String>)) {
      return privatePosting(notice, slackResponse);
    }
    if (place.isThread()) {
      return postNew(
          notice.update() instanceof Update.Message(_, var text, _)
              // Everybody reads it there, so it must mention nobody.
              ? notice.withUpdate(new Update.Message(to, text, false))
              : notice);
    }
    // The user of a modal need not be in a channel that the bot is in.
    return privatePosting(
        notice,
        place.isView() || SlackReplyTo.isDirectly(notice.origin().replyTo())
            ? api(place).post(to.id(), null, post)
            : slackResponse);
  }

  private Posting privatePosting(Notice notice, SlackResponse<String> slackResponse) {
    return slackResponse instanceof SlackResponse.Ok<String>
        ? withoutMessage(notice)
        : posting(notice, slackResponse);
  }

  @Override
  public Posting posting(Notice notice, SlackResponse<String> slackResponse) {
    return switch (slackResponse) {
      case SlackResponse.Ok<String>(String ts) ->
          new Posting.Posted(
              SlackPlace.of(notice.conversation()).message(ts).ref(), notice.conversation());
      case SlackResponse.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case SlackResponse.No<String>(String error) ->
          undeliverable(SlackPlace.of(notice.conversation()), error);
    };
  }

  private Posting undeliverable(SlackPlace place, String error) {
    return new Posting.Undeliverable(
        workspaces
            .refusal(error)
            .orElseGet(
                () ->
                    SlackTexts.refusal(
                        error, workspaces.known(place.team()).map(SlackIdentity::userName))));
  }

  /// Posts, unless an earlier attempt has done so.
  ///
  /// @param again whether there was an earlier attempt
  private static SlackResponse<String> postOnce(
      boolean again,
      SlackPages earlier,
      SlackPost.Mark mark,
      Supplier<SlackResponse<String>> post) {
    if (!again) {
      return post.get();
    }
    return switch (earlier.find(MAX_PAGES, mark::isOn)) {
      case SlackResponse.Ok<Optional<Message>>(var found) ->
          found
              .map(Message::getTs)
              .<SlackResponse<String>>map(SlackResponse.Ok::new)
              .orElseGet(post);
      case SlackResponse.Wait<Optional<Message>> wait -> wait.as();
      // Without permission to search, a duplicate post is better than none.
      case SlackResponse.No<Optional<Message>> _ -> post.get();
    };
  }

  private SlackApi api(SlackPlace place) {
    return workspaces.of(place.team()).api();
  }
}
