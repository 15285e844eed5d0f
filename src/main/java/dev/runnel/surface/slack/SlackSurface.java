package dev.runnel.surface.slack;

import dev.runnel.core.model.Actor;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Missed;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.Reception;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.Request;
import dev.runnel.core.model.RunId;
import dev.runnel.core.model.Shown;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.kit.Hmac;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Slack, by signed requests over HTTP.
///
/// @implSpec Thread-safe. [#receive] is pure; all else may call Slack.
public final class SlackSurface implements Surface, AutoCloseable {
  /// Where Slack sends everything.
  public static final String PATH = "/slack/events";

  private static final Logger log = LoggerFactory.getLogger(SlackSurface.class);
  private static final String SEEN = "eyes";
  private static final int MOST_PAGES = 20;
  // Slack's clock and ours need not agree when we look for a post of ours.
  private static final Duration CLOCK_SKEW = Duration.ofMinutes(5);

  private final SlackSignature signature;
  private final SlackPayloads payloads;
  private final SlackRenderer renderer;
  private final SlackApi api;
  private final SlackBackground background;
  private final SlackCatchUp catchUp;
  private final BoltApp bolt;
  private volatile @Nullable SlackIdentity identity;

  public SlackSurface(SlackConfig config, InstantSource clock) {
    signature = new SlackSignature(new Hmac(config.signingSecrets()));
    payloads = new SlackPayloads(config, this::known);
    renderer = new SlackRenderer(config.command());
    api = new SlackApi(config);
    background = new SlackBackground(api, new SlackNames(api));
    catchUp = new SlackCatchUp(api, payloads, clock);
    bolt = new BoltApp(config, api.sdk(), this::known);
  }

  /// Learns who we are. Where Slack cannot be asked, the next post asks again.
  public void start() {
    bolt.start();
    learnIdentity();
  }

  /// Asks Slack once whether the token is good.
  ///
  /// @return what to do when it is not, in a sentence
  public Optional<String> check() {
    return switch (api.identity()) {
      case Answer.Ok<SlackIdentity> _ -> Optional.empty();
      case Answer.Wait<SlackIdentity>(_, String why) ->
          Optional.of("not reached (" + why + "). Look at SLACK_API_URL and the network.");
      case Answer.No<SlackIdentity>(String error) ->
          Optional.of(
              "Slack refuses the token ("
                  + error
                  + "). Put the bot token of the installed app into SLACK_BOT_TOKEN.");
    };
  }

  private void learnIdentity() {
    switch (api.identity()) {
      case Answer.Ok<SlackIdentity>(SlackIdentity found) -> {
        identity = found;
        log.info("slack connected team={} user={}", found.team(), found.userId());
      }
      case Answer.Wait<SlackIdentity>(_, String why) ->
          log.warn("slack not reached, asked again later why=\"{}\"", why);
      case Answer.No<SlackIdentity>(String error) ->
          log.error("slack refused the bot token error={}", error);
    }
  }

  private Optional<SlackIdentity> known() {
    return Optional.ofNullable(identity);
  }

  private void knowOurselves() {
    if (identity == null) {
      learnIdentity();
    }
  }

  @Override
  public SurfaceId id() {
    return SlackPlace.SURFACE;
  }

  @Override
  public Reception receive(RawRequest request) {
    if (!request.path().equals(PATH)) {
      return new Reception.Rejected(Reply.empty(404), "unknown path");
    }
    if (!request.method().equals("POST")) {
      return new Reception.Rejected(Reply.empty(405), "not a POST");
    }
    if (!signature.proves(request)) {
      return new Reception.Rejected(Reply.empty(401), "no valid signature");
    }
    return payloads.read(request).orElseGet(() -> bolt.receive(request));
  }

  @Override
  public Background background(Delivery delivery) {
    var place = SlackPlace.of(delivery.conversation());
    var message = delivery.origin().message().map(SlackPlace.Message::of);
    if (!place.isThread()
        || delivery.intent() instanceof Intent.Start
        || message.filter(it -> it.ts().equals(place.thread())).isPresent()) {
      return Background.NONE;
    }
    knowOurselves();
    return background.of(
        place,
        message
            .map(SlackPlace.Message::ts)
            .orElseGet(() -> SlackPlace.timestamp(delivery.arrivedAt())),
        delivery.origin().link());
  }

  @Override
  public Posting open(Delivery delivery, boolean again) {
    knowOurselves();
    var place = SlackPlace.of(delivery.conversation());
    var mark = SlackPost.Mark.content(delivery.id().value());
    var post = renderer.request(delivery.actor(), request(delivery.intent()), mark);
    var earlier =
        api.channel(place.channel(), SlackPlace.timestamp(delivery.arrivedAt().minus(CLOCK_SKEW)));
    return switch (once(again, earlier, mark, () -> api.post(place.channel(), null, post))) {
      case Answer.Ok<String>(String ts) -> opened(place, ts);
      case Answer.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case Answer.No<String>(String error) -> undeliverable(error);
    };
  }

  private static Posting opened(SlackPlace place, String ts) {
    return new Posting.Posted(place.message(ts).ref(), place.inThread(ts).conversation());
  }

  private static Request request(Intent intent) {
    return switch (intent) {
      case Intent.Start(Request request) -> request;
      case Intent.Say(Request request) -> request;
      case Intent.Retry _ -> Request.of("the same again");
      case Intent.New(Request request) -> request;
      case Intent.Link(RunId run) -> Request.of("tell of the run " + run + " here");
      case Intent.SayTo _, Intent.Linked _, Intent.CancelMine _, Intent.Ask _ ->
          throw new IllegalArgumentException("Nothing that opens a thread: " + intent);
      case Intent.Cancel _, Intent.Status _, Intent.ListRuns _, Intent.Help _, Intent.Unclear _ ->
          throw new IllegalArgumentException("Nothing that opens a thread: " + intent);
    };
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    knowOurselves();
    return switch (notice.update()) {
      case Update.Received(PostRef message) -> react(notice, message);
      case Update.Status _ -> status == null ? say(notice) : edit(notice, status);
      case Update.Told(Actor to, _, boolean privately) ->
          privately ? tellPrivately(notice, to) : say(notice);
      case Update.Listed(Actor to, _, _) -> tellPrivately(notice, to);
      case Update.Answered(Actor to, _) -> tellPrivately(notice, to);
      case Update.Helped(Actor to) -> tellPrivately(notice, to);
      case Update.Blocked _, Update.Succeeded _, Update.Failed _, Update.Cancelled _ -> say(notice);
    };
  }

  @Override
  public Optional<Shown> shown(URI link, Conversation from) {
    return SlackLinks.shown(link, from, known());
  }

  @Override
  public Missed missed(Instant since, List<Conversation> conversations) {
    knowOurselves();
    return catchUp.since(since, conversations);
  }

  /// Slack counts messages by channel.
  @Override
  public String limit(Conversation conversation) {
    return SlackPlace.SURFACE + ":" + conversation.place();
  }

  /// A new message in the thread.
  private Posting say(Notice notice) {
    var place = SlackPlace.of(notice.conversation());
    var mark = mark(notice);
    var post = renderer.render(notice.update(), mark);
    var oldest = SlackPlace.timestamp(notice.createdAt().minus(CLOCK_SKEW));
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

  private Posting edit(Notice notice, PostRef status) {
    var post = renderer.render(notice.update(), mark(notice));
    return switch (api.update(SlackPlace.Message.of(status), post)) {
      // Somebody deleted it, or the workspace does not let old posts be edited.
      case Answer.No<String>(String error)
          when error.equals("message_not_found")
              || error.equals("edit_window_closed")
              || error.equals("cant_update_message") ->
          say(notice);
      case Answer<String> answer -> posting(notice, answer);
    };
  }

  /// To one person: at the address their command came with, else beside the thread.
  private Posting tellPrivately(Notice notice, Actor to) {
    var place = SlackPlace.of(notice.conversation());
    var post = renderer.render(notice.update(), mark(notice));
    var replyTo = notice.origin().replyTo();
    if (replyTo.isPresent()) {
      var answer = api.respond(replyTo.get(), post);
      if (!(answer instanceof Answer.No<String>)) {
        return privatePosting(notice, place, answer);
      }
    }
    if (place.isDirect()) {
      return say(notice);
    }
    var answer = api.postPrivately(place.channel(), thread(place), to.id(), post);
    return answer instanceof Answer.No<String> && place.isThread()
        ? say(notice)
        : privatePosting(notice, place, answer);
  }

  private Posting privatePosting(Notice notice, SlackPlace place, Answer<String> answer) {
    return answer instanceof Answer.Ok<String>
        // Nobody can edit it or find it again, so any name will do.
        ? new Posting.Posted(place.message("~" + notice.id()).ref(), notice.conversation())
        : posting(notice, answer);
  }

  /// A sign of receipt is an ornament: where it is not possible, it is done.
  private Posting react(Notice notice, PostRef message) {
    return switch (api.react(SlackPlace.Message.of(message), SEEN)) {
      case Answer.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case Answer.Ok<String> _ -> new Posting.Posted(message, notice.conversation());
      case Answer.No<String>(String error) -> {
        log.debug("slack reaction left out conversation={} error={}", notice.conversation(), error);
        yield new Posting.Posted(message, notice.conversation());
      }
    };
  }

  private Posting posting(Notice notice, Answer<String> answer) {
    return switch (answer) {
      case Answer.Ok<String>(String ts) ->
          new Posting.Posted(
              SlackPlace.of(notice.conversation()).message(ts).ref(), notice.conversation());
      case Answer.Wait<String>(Optional<Duration> after, String why) ->
          new Posting.Later(after, why);
      case Answer.No<String>(String error) -> undeliverable(error);
    };
  }

  private Posting undeliverable(String error) {
    return new Posting.Undeliverable(
        SlackWords.refusal(error, known().map(SlackIdentity::userName)));
  }

  /// Posts, unless an earlier try did.
  ///
  /// @param again whether there was an earlier try
  private static Answer<String> once(
      boolean again, SlackApi.Pages earlier, SlackPost.Mark mark, Supplier<Answer<String>> post) {
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
  private static Answer<Optional<String>> find(SlackApi.Pages pages, SlackPost.Mark mark) {
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < MOST_PAGES; page++) {
      switch (pages.read(cursor.orElse(null))) {
        case Answer.Ok<SlackApi.Page>(SlackApi.Page read) -> {
          var found =
              read.messages().stream()
                  .filter(it -> SlackPost.Mark.on(it).filter(mark::equals).isPresent())
                  .findFirst();
          if (found.isPresent() || read.next().isEmpty()) {
            return new Answer.Ok<>(found.map(it -> it.getTs()));
          }
          cursor = read.next();
        }
        case Answer.Wait<SlackApi.Page>(Optional<Duration> after, String why) -> {
          return new Answer.Wait<>(after, why);
        }
        case Answer.No<SlackApi.Page>(String error) -> {
          return new Answer.No<>(error);
        }
      }
    }
    return new Answer.Ok<>(Optional.empty());
  }

  @Override
  public void close() {
    api.close();
  }
}
