package dev.runnel.surface.github;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.Background;
import dev.runnel.core.model.Conversation;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Missed;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.PostRef;
import dev.runnel.core.model.Posting;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.Reception;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.Shown;
import dev.runnel.core.model.SurfaceId;
import dev.runnel.core.model.Update;
import dev.runnel.core.port.Surface;
import dev.runnel.surface.github.GitHubApi.Result;
import dev.runnel.surface.kit.Hmac;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Issues and pull requests on GitHub: the trigger label and comments that address Runnel come in,
/// comments go out. Thread-safe.
public final class GitHubSurface implements Surface {
  /// Where GitHub's webhooks are received.
  public static final String PATH = "/webhooks/github";

  private static final Logger log = LoggerFactory.getLogger(GitHubSurface.class);
  private static final SurfaceId ID = new SurfaceId("github");
  private static final Pattern SIGNATURE = Pattern.compile("sha256=(?<hex>[0-9a-f]{64})");
  private static final Pattern DELIVERY = Pattern.compile("[!-~]{1,200}");
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  // Our clock and GitHub's may differ by as much.
  private static final Duration SKEW = Duration.ofHours(1);
  private static final int MOST_PAGES = 10;

  private final Hmac hmac;
  private final GitHubPayloads payloads;
  private final GitHubRenderer renderer;
  private final GitHubApi api;
  private final GitHubBackground background;
  private final GitHubCatchUp catchUp;
  private final URI apiUrl;

  public GitHubSurface(GitHubConfig config, OkHttpClient http, InstantSource clock) {
    this.hmac = new Hmac(config.webhookSecrets());
    this.apiUrl = config.apiUrl();
    this.payloads = new GitHubPayloads(ID, config.label(), config.mention());
    this.renderer = new GitHubRenderer(config.label(), config.mention());
    this.api = new GitHubApi(config, http, clock);
    this.background = new GitHubBackground(api);
    this.catchUp = new GitHubCatchUp(ID, api, payloads, clock);
  }

  /// Asks GitHub once whether the token is good.
  ///
  /// @return what to do when it is not, in a sentence
  public Optional<String> check() {
    return api.check();
  }

  @Override
  public SurfaceId id() {
    return ID;
  }

  @Override
  public Reception receive(RawRequest request) {
    if (request.headers().keySet().stream().anyMatch(GitHubSurface::isOfAnotherForge)) {
      return rejected(401, "a delivery of Gitea, Forgejo or Gogs");
    }
    if (!isSigned(request)) {
      return rejected(401, "no valid signature");
    }
    var payload = payload(request);
    if (payload.isEmpty()) {
      return rejected(400, "the body is not a JSON object");
    }
    var event = request.header("X-GitHub-Event");
    var delivery = request.header("X-GitHub-Delivery").filter(id -> DELIVERY.matcher(id).matches());
    if (event.isEmpty() || delivery.isEmpty()) {
      return rejected(400, "the headers X-GitHub-Event and X-GitHub-Delivery are missing");
    }
    if (event.get().equals("ping")) {
      return new Reception.Answered(Reply.text(200, "pong"));
    }
    return payloads
        .read(event.get(), DeliveryId.of(ID, delivery.get()), payload.get(), request.arrivedAt())
        .<Reception>map(said -> new Reception.Accepted(said, Reply.empty(202)))
        .orElseGet(() -> new Reception.Answered(Reply.empty(204)));
  }

  /// They send GitHub's headers beside their own.
  private static boolean isOfAnotherForge(String header) {
    var name = header.toLowerCase(Locale.ROOT);
    return name.startsWith("x-gitea-")
        || name.startsWith("x-forgejo-")
        || name.startsWith("x-gogs-");
  }

  private boolean isSigned(RawRequest request) {
    var signature = SIGNATURE.matcher(request.header("X-Hub-Signature-256").orElse(""));
    return signature.matches() && hmac.signs(signature.group("hex"), request.body());
  }

  private static Optional<JsonNode> payload(RawRequest request) {
    var form =
        request
            .header("Content-Type")
            .filter(type -> type.toLowerCase(Locale.ROOT).contains("x-www-form-urlencoded"));
    try {
      var payload =
          form.isPresent()
              ? JSON.readTree(formField(new String(request.body(), StandardCharsets.UTF_8)))
              : JSON.readTree(request.body());
      return Optional.ofNullable(payload).filter(JsonNode::isObject);
    } catch (IOException | IllegalArgumentException unreadable) {
      return Optional.empty();
    }
  }

  private static String formField(String form) {
    for (var field : form.split("&", -1)) {
      if (field.startsWith("payload=")) {
        return URLDecoder.decode(field.substring("payload=".length()), StandardCharsets.UTF_8);
      }
    }
    return "";
  }

  private static Reception rejected(int status, String why) {
    return new Reception.Rejected(Reply.empty(status), why);
  }

  @Override
  public Background background(Delivery delivery) {
    return IssueKey.of(delivery.conversation())
        .map(issue -> background.read(issue, delivery))
        .orElse(Background.NONE);
  }

  @Override
  public Optional<Shown> shown(URI link, Conversation from) {
    return GitHubLinks.shown(link, ID, apiUrl);
  }

  @Override
  public Missed missed(Instant since, List<Conversation> conversations) {
    return catchUp.since(since, conversations);
  }

  /// Every delivery from GitHub has its issue, so there is never a thread to open.
  @Override
  public Posting open(Delivery delivery, boolean again) {
    return new Posting.Undeliverable("On GitHub a conversation is an issue; none can be opened.");
  }

  @Override
  public Posting post(Notice notice, @Nullable PostRef status) {
    var issue = IssueKey.of(notice.conversation());
    if (issue.isEmpty()) {
      return new Posting.Undeliverable(notice.conversation() + " is no issue on GitHub.");
    }
    return switch (notice.update()) {
      case Update.Received(var message) -> react(issue.get(), message, notice);
      case Update.Status _ -> status(issue.get(), notice, status);
      case Update.Blocked _,
          Update.Succeeded _,
          Update.Failed _,
          Update.Cancelled _,
          Update.Told _,
          Update.Listed _,
          Update.Answered _,
          Update.Helped _ ->
          comment(issue.get(), notice);
    };
  }

  /// A sign of receipt is a courtesy: where it cannot be given, nothing is lost.
  private Posting react(IssueKey issue, PostRef message, Notice notice) {
    var comment = IssueKey.commentId(message);
    if (comment.isPresent() && !(api.react(issue, comment.get(), "eyes") instanceof Result.Done)) {
      log.debug("reaction not set notice={} conversation={}", notice.id(), notice.conversation());
    }
    return new Posting.Posted(message, notice.conversation());
  }

  private Posting status(IssueKey issue, Notice notice, @Nullable PostRef status) {
    var comment = status == null ? Optional.<Long>empty() : IssueKey.commentId(status);
    if (comment.isEmpty()) {
      return comment(issue, notice);
    }
    var body = renderer.render(notice.update(), notice.id());
    return switch (api.edit(issue, comment.get(), body)) {
      case Result.Done _ -> posted(issue, notice, comment.get());
      // Somebody deleted the comment.
      case Result.Gone _ -> comment(issue, notice);
      case Result.Busy busy -> later(busy);
      case Result.Refused(var why) -> new Posting.Undeliverable(why);
    };
  }

  private Posting comment(IssueKey issue, Notice notice) {
    if (notice.tries() > 0) {
      var earlier = findEarlier(issue, notice);
      if (earlier.isPresent()) {
        return earlier.get();
      }
    }
    return switch (api.comment(issue, renderer.render(notice.update(), notice.id()))) {
      case Result.Done(var comment) ->
          Json.id(comment, "id")
              .map(id -> posted(issue, notice, id))
              .orElseGet(
                  () ->
                      new Posting.Later(
                          Optional.empty(), "GitHub did not say which comment it made"));
      case Result.Gone(var why) -> new Posting.Undeliverable(why);
      case Result.Busy busy -> later(busy);
      case Result.Refused(var why) -> new Posting.Undeliverable(why);
    };
  }

  /// Looks whether an earlier try of the notice got through.
  ///
  /// @return its post, or why that cannot be known now; empty when there is none
  private Optional<Posting> findEarlier(IssueKey issue, Notice notice) {
    var marker = Marker.of(notice.id());
    var since = notice.createdAt().minus(SKEW);
    for (var page = 1; page <= MOST_PAGES; page++) {
      switch (api.comments(issue, since, page)) {
        case Result.Done(var comments) -> {
          for (var comment : comments) {
            var id = Json.id(comment, "id");
            if (id.isPresent() && Json.text(comment, "body").orElse("").contains(marker)) {
              return Optional.of(posted(issue, notice, id.get()));
            }
          }
          if (comments.size() < GitHubApi.PAGE) {
            return Optional.empty();
          }
        }
        case Result.Gone(var why) -> {
          return Optional.of(new Posting.Undeliverable(why));
        }
        case Result.Busy busy -> {
          return Optional.of(later(busy));
        }
        case Result.Refused(var why) -> {
          return Optional.of(new Posting.Undeliverable(why));
        }
      }
    }
    return Optional.empty();
  }

  private static Posting posted(IssueKey issue, Notice notice, long comment) {
    return new Posting.Posted(issue.comment(comment), notice.conversation());
  }

  private static Posting later(Result.Busy busy) {
    return new Posting.Later(busy.after(), busy.why());
  }
}
