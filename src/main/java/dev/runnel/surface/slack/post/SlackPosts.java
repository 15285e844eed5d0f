package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;
import dev.runnel.surface.slack.api.Answer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackPages;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SlackHabits;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.surface.slack.model.SlackReplyTo;
import dev.runnel.surface.slack.render.SlackRenderer;
import dev.runnel.surface.slack.render.SlackWords;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// What is posted in Slack: a root, a message in a thread, an edit, a word to one person.
///
/// @implSpec Thread-safe. A post that may have been made already is looked for before it is made.
public final class SlackPosts implements SlackStreams.Plain {
  private static final int MOST_PAGES = 20;
  // Slack's clock and ours need not agree when we look for a post of ours.
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final SlackWorkspaces workspaces;
  private final SlackRenderer renderer;
  private final SlackHabits habits;
  private final SlackScreens screens;
  private final SlackAgentView agentView;

  public SlackPosts(
      SlackWorkspaces workspaces,
      SlackRenderer renderer,
      SlackHabits habits,
      SlackScreens screens,
      SlackAgentView agentView) {
    this.screens = screens;
    this.workspaces = workspaces;
    this.renderer = renderer;
    this.habits = habits;
    this.agentView = agentView;
  }

  /// The root message of a conversation that is only a place so far; in a thread, the words that
  /// nobody there saw.
  public Posting open(Delivery delivery, boolean again) {
    var place = SlackPlace.of(delivery.conversation());
    var api = api(place);
    var mark = SlackPost.Mark.content(delivery.id().value());
    var post = renderer.request(delivery.actor(), request(delivery.intent()), mark);
    var oldest = SlackPlace.timestamp(delivery.arrivedAt().minus(CLOCK_SKEW));
    var earlier =
        place.isThread() ? api.thread(place, oldest, null) : api.channel(place.channel(), oldest);
    return switch (once(
        again, earlier, mark, () -> api.post(place.channel(), thread(place), post))) {
      case Answer.Ok<String>(String ts) -> opened(place, ts);
      case Answer.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case Answer.No<String>(String error) -> undeliverable(place, error);
    };
  }

  private static Posting opened(SlackPlace place, String ts) {
    var thread = place.isThread() ? place : place.inThread(ts);
    return new Posting.Posted(place.message(ts).ref(), thread.conversation());
  }

  private static Request request(Intent intent) {
    return switch (intent) {
      case Intent.Start(Request request) -> request;
      case Intent.Say(Request request) ->
          new Request(SlackQuote.words(request.text()), request.options());
      case Intent.Retry _ -> Request.of("the same again");
      case Intent.New(Request request) -> request;
      case Intent.Link(RunId run) -> Request.of("tell of the run " + run + " here");
      case Intent.SayTo _, Intent.Linked _, Intent.CancelMine _, Intent.Ask _ ->
          throw new IllegalArgumentException("Nothing that opens a thread: " + intent);
      case Intent.Cancel _, Intent.Status _, Intent.ListRuns _, Intent.Help _, Intent.Unclear _ ->
          throw new IllegalArgumentException("Nothing that opens a thread: " + intent);
      case Intent.Amend _, Intent.StopAt _ ->
          throw new IllegalArgumentException("Nothing that opens a thread: " + intent);
    };
  }

  /// @param status where the status message stands, once there is one
  public Posting post(Notice notice, @Nullable PostRef status) {
    return switch (notice.update()) {
      case Update.Received received ->
          SlackSigns.set(api(SlackPlace.of(notice.conversation())), habits, notice, received);
      case Update.Status now -> agentView.status(notice, now, status, this);
      case Update.Still(Update.Status now) -> agentView.still(notice, now, status, this);
      case Update.Told(Actor to, _, boolean privately) ->
          privately ? tellPrivately(notice, to) : say(notice);
      case Update.Listed(Actor to, _, _) -> tellPrivately(notice, to);
      case Update.Answered(Actor to, _) -> tellPrivately(notice, to);
      case Update.Helped(Actor to) -> tellPrivately(notice, to);
      case Update.Screened(Actor to, Screen screen) -> show(notice, to, screen);
      case Update.Blocked _, Update.Succeeded _, Update.Failed _, Update.Cancelled _ -> say(notice);
      case Update.Reminder _ -> say(notice);
    };
  }

  private Posting show(Notice notice, Actor to, Screen screen) {
    return switch (screens.show(api(SlackPlace.of(notice.conversation())), notice, to, screen)) {
      case SlackScreens.Showing.TooLate _ ->
          tellPrivately(notice.saying(new Update.Told(to, SlackScreens.TOO_LATE, true)), to);
      case SlackScreens.Showing.Told(Answer<String> answer) -> posting(notice, answer);
    };
  }

  /// A new message in the thread.
  @Override
  public Posting say(Notice notice) {
    var place = SlackPlace.of(notice.conversation());
    var api = api(place);
    var mark = mark(notice);
    var oldest = SlackPlace.timestamp(notice.createdAt().minus(CLOCK_SKEW));
    var tooLong = renderer.tooLong(notice.update(), mark);
    if (tooLong.isPresent() && place.isThread()) {
      var here = workspaces.of(place.team());
      var longAnswers = new LongAnswers(here.api(), here.files(), renderer);
      return posting(notice, longAnswers.post(place, notice, mark, tooLong.get(), oldest));
    }
    var post = renderer.render(notice.update(), mark);
    var earlier =
        place.isThread() ? api.thread(place, oldest, null) : api.channel(place.channel(), oldest);
    return posting(
        notice,
        once(
            notice.tries() > 0,
            earlier,
            mark,
            () -> api.post(place.channel(), thread(place), post)));
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
  public Posting edit(Notice notice, PostRef status, boolean orSay) {
    var post = renderer.render(notice.update(), mark(notice));
    var api = api(SlackPlace.of(notice.conversation()));
    return switch (api.update(SlackPlace.Message.of(status), post)) {
      // Somebody deleted it, or the workspace does not let old posts be edited.
      case Answer.No<String>(String error)
          when error.equals("message_not_found")
              || error.equals("edit_window_closed")
              || error.equals("cant_update_message") ->
          orSay ? say(notice) : new Posting.Posted(status, notice.conversation());
      case Answer<String> answer -> posting(notice, answer);
    };
  }

  /// To one person: at the address their command came with, else beside the thread.
  private Posting tellPrivately(Notice notice, Actor to) {
    var place = SlackPlace.of(notice.conversation());
    var post = renderer.render(notice.update(), mark(notice));
    var replyTo = SlackReplyTo.of(notice.origin().replyTo()).address();
    if (replyTo.isPresent()) {
      var answer = api(place).respond(replyTo.get(), post);
      if (!(answer instanceof Answer.No<String>)) {
        return privatePosting(notice, place, answer);
      }
    }
    if (place.isDirect()) {
      return say(notice);
    }
    if (notice.origin().home().isPresent()) {
      // Nobody reads the channel who asked on a page of theirs.
      return privatePosting(notice, place, api(place).post(to.id(), null, post));
    }
    var answer = api(place).postPrivately(place.channel(), thread(place), to.id(), post);
    if (!(answer instanceof Answer.No<String>)) {
      return privatePosting(notice, place, answer);
    }
    if (place.isThread()) {
      return say(notice);
    }
    // Who filled in a form need not be where we are.
    return privatePosting(
        notice,
        place,
        place.isView() || SlackReplyTo.isDirectly(notice.origin().replyTo())
            ? api(place).post(to.id(), null, post)
            : answer);
  }

  private Posting privatePosting(Notice notice, SlackPlace place, Answer<String> answer) {
    return answer instanceof Answer.Ok<String>
        // Nobody can edit it or find it again, so any name will do.
        ? new Posting.Posted(place.message("~" + notice.id()).ref(), notice.conversation())
        : posting(notice, answer);
  }

  @Override
  public Posting posting(Notice notice, Answer<String> answer) {
    return switch (answer) {
      case Answer.Ok<String>(String ts) ->
          new Posting.Posted(
              SlackPlace.of(notice.conversation()).message(ts).ref(), notice.conversation());
      case Answer.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case Answer.No<String>(String error) ->
          undeliverable(SlackPlace.of(notice.conversation()), error);
    };
  }

  private Posting undeliverable(SlackPlace place, String error) {
    return new Posting.Undeliverable(
        workspaces
            .refusal(error)
            .orElseGet(
                () ->
                    SlackWords.refusal(
                        error, workspaces.known(place.team()).map(SlackIdentity::userName))));
  }

  /// Posts, unless an earlier try did.
  ///
  /// @param again whether there was an earlier try
  private static Answer<String> once(
      boolean again, SlackPages earlier, SlackPost.Mark mark, Supplier<Answer<String>> post) {
    if (!again) {
      return post.get();
    }
    return switch (find(earlier, mark)) {
      case Answer.Ok<Optional<String>>(Optional<String> found) ->
          found.<Answer<String>>map(Answer.Ok::new).orElseGet(post);
      case Answer.Wait<Optional<String>>(Optional<Duration> after, String why) ->
          new Answer.Wait<>(after, why);
      // Without the right to look, a second post is better than none.
      case Answer.No<Optional<String>> _ -> post.get();
    };
  }

  /// Looks for a post of ours.
  private static Answer<Optional<String>> find(SlackPages pages, SlackPost.Mark mark) {
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < MOST_PAGES; page++) {
      switch (pages.read(cursor.orElse(null))) {
        case Answer.Ok<SlackPages.Page>(SlackPages.Page read) -> {
          var found =
              read.messages().stream()
                  .filter(it -> SlackPost.Mark.on(it).filter(mark::equals).isPresent())
                  .findFirst();
          if (found.isPresent() || read.next().isEmpty()) {
            return new Answer.Ok<>(found.map(it -> it.getTs()));
          }
          cursor = read.next();
        }
        case Answer.Wait<SlackPages.Page>(Optional<Duration> after, String why) -> {
          return new Answer.Wait<>(after, why);
        }
        case Answer.No<SlackPages.Page>(String error) -> {
          return new Answer.No<>(error);
        }
      }
    }
    return new Answer.Ok<>(Optional.empty());
  }

  private SlackApi api(SlackPlace place) {
    return workspaces.of(place.team()).api();
  }
}
