package dev.runnel.surface.slack;

import com.slack.api.Slack;
import com.slack.api.app_backend.interactive_components.ActionResponseSender;
import com.slack.api.app_backend.interactive_components.response.ActionResponse;
import com.slack.api.methods.MethodsClient;
import com.slack.api.methods.SlackApiException;
import com.slack.api.methods.SlackApiTextResponse;
import com.slack.api.model.Message;
import com.slack.api.model.ResponseMetadata;
import com.slack.api.model.User;
import com.slack.api.util.http.SlackHttpClient;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Calls to Slack's Web API. Every failure is an [Answer]; nothing is repeated here.
final class SlackApi implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 15_000;
  private static final int PAGE = 200;
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");
  private static final Set<String> PASSING =
      Set.of(
          "ratelimited",
          "rate_limited",
          "message_limit_exceeded",
          "internal_error",
          "fatal_error",
          "service_unavailable",
          "request_timeout",
          "team_added_to_org",
          "external_channel_migrating");

  private final Slack slack;
  private final MethodsClient methods;

  SlackApi(SlackConfig config) {
    var sdk = new com.slack.api.SlackConfig();
    sdk.setMethodsEndpointUrlPrefix(config.apiUrl().toString());
    sdk.setHttpClientCallTimeoutMillis(TIMEOUT_MILLIS);
    sdk.setStatsEnabled(false);
    // The SDK's own listeners would log bodies.
    sdk.setHttpClientResponseHandlers(List.of());
    // Left to itself the client sends a post again whose answer was lost, and it is there twice.
    var http =
        SlackHttpClient.buildOkHttpClient(sdk).newBuilder().retryOnConnectionFailure(false).build();
    slack = Slack.getInstance(sdk, new SlackHttpClient(http));
    methods = slack.methods(config.botToken());
  }

  /// For Bolt, which shares our client.
  Slack sdk() {
    return slack;
  }

  Answer<SlackIdentity> identity() {
    return call(() -> methods.authTest(r -> r))
        .map(
            it ->
                new SlackIdentity(
                    orEmpty(it.getTeamId()),
                    orEmpty(it.getUserId()),
                    orEmpty(it.getBotId()),
                    orEmpty(it.getUser()),
                    address(it.getUrl())));
  }

  /// @param thread the timestamp of its first message; null to post in the channel
  /// @return the new message's timestamp
  Answer<String> post(String channel, @Nullable String thread, SlackPost post) {
    return call(() ->
            methods.chatPostMessage(
                r ->
                    r.channel(channel)
                        .threadTs(thread)
                        .text(post.text())
                        .blocks(post.blocks())
                        .unfurlLinks(false)
                        .unfurlMedia(false)))
        .map(it -> orEmpty(it.getTs()));
  }

  Answer<String> update(SlackPlace.Message message, SlackPost post) {
    return call(() ->
            methods.chatUpdate(
                r ->
                    r.channel(message.channel())
                        .ts(message.ts())
                        .text(post.text())
                        .blocks(post.blocks())))
        .map(_ -> message.ts());
  }

  /// A post that only one person sees; it has no lasting place.
  Answer<String> postPrivately(
      String channel, @Nullable String thread, String user, SlackPost post) {
    return call(() ->
            methods.chatPostEphemeral(
                r ->
                    r.channel(channel)
                        .threadTs(thread)
                        .user(user)
                        .text(post.text())
                        .blocks(post.blocks())))
        .map(it -> orEmpty(it.getMessageTs()));
  }

  /// Answers a command or a button privately, at the address that came with it.
  Answer<String> respond(String responseUrl, SlackPost post) {
    try {
      var response =
          new ActionResponseSender(slack)
              .send(
                  responseUrl,
                  ActionResponse.builder()
                      .responseType("ephemeral")
                      .replaceOriginal(false)
                      .text(post.text())
                      .blocks(post.blocks())
                      .build());
      int status = response.getCode();
      if (status >= 200 && status < 300) {
        return new Answer.Ok<>("");
      }
      return isPassing(status)
          ? new Answer.Wait<>(Optional.empty(), "response_url answered " + status)
          : new Answer.No<>("response_url_" + status);
    } catch (IOException e) {
      return unreachable(e);
    }
  }

  Answer<String> react(SlackPlace.Message message, String emoji) {
    return call(() ->
            methods.reactionsAdd(
                r -> r.channel(message.channel()).timestamp(message.ts()).name(emoji)))
        .map(_ -> message.ts());
  }

  /// One page of messages.
  ///
  /// @param next where the next page begins; empty at the end
  record Page(List<Message> messages, Optional<String> next) {}

  /// Reads a page, from a cursor; null for the first.
  @FunctionalInterface
  interface Pages {
    Answer<Page> read(@Nullable String cursor);
  }

  /// A thread, oldest first. Its first message comes on every page.
  ///
  /// @param oldest a timestamp; messages before it are left out
  /// @param latest a timestamp; messages from it on are left out
  Pages thread(SlackPlace place, @Nullable String oldest, @Nullable String latest) {
    return cursor ->
        call(() ->
                methods.conversationsReplies(
                    r ->
                        r.channel(place.channel())
                            .ts(place.thread())
                            .oldest(oldest)
                            .latest(latest)
                            .cursor(cursor)
                            .limit(PAGE)))
            .map(it -> page(it.getMessages(), it.getResponseMetadata()));
  }

  /// A channel's own messages, newest first.
  Pages channel(String channel, String oldest) {
    return cursor ->
        call(() ->
                methods.conversationsHistory(
                    r -> r.channel(channel).oldest(oldest).cursor(cursor).limit(PAGE)))
            .map(it -> page(it.getMessages(), it.getResponseMetadata()));
  }

  private static Page page(@Nullable List<Message> messages, @Nullable ResponseMetadata metadata) {
    return new Page(
        messages == null ? List.of() : messages,
        Optional.ofNullable(metadata)
            .flatMap(it -> Optional.ofNullable(it.getNextCursor()))
            .filter(it -> !it.isEmpty()));
  }

  /// The name that people see.
  Answer<String> name(String user) {
    return call(() -> methods.usersInfo(r -> r.user(user)))
        .map(it -> Optional.ofNullable(it.getUser()).flatMap(SlackApi::name).orElse(user));
  }

  private static Optional<String> name(User user) {
    return Optional.ofNullable(user.getProfile())
        .flatMap(it -> Optional.ofNullable(it.getDisplayName()))
        .or(() -> Optional.ofNullable(user.getRealName()))
        .filter(it -> !it.isBlank())
        .or(() -> Optional.ofNullable(user.getRealName()))
        .or(() -> Optional.ofNullable(user.getName()))
        .filter(it -> !it.isBlank());
  }

  @FunctionalInterface
  private interface Call<T> {
    T run() throws IOException, SlackApiException;
  }

  private static <T extends SlackApiTextResponse> Answer<T> call(Call<T> call) {
    T response;
    try {
      response = call.run();
    } catch (SlackApiException e) {
      var status = e.getResponse().code();
      if (isPassing(status)) {
        return new Answer.Wait<>(retryAfter(e), "Slack answered " + status);
      }
      return new Answer.No<>("http_" + status);
    } catch (IOException e) {
      return unreachable(e);
    } catch (RuntimeException e) {
      // The SDK throws what its JSON parser throws when a proxy answers instead of Slack.
      return new Answer.Wait<>(
          Optional.empty(), "unreadable answer: " + e.getClass().getSimpleName());
    }
    if (response.isOk()) {
      return new Answer.Ok<>(response);
    }
    var error = Optional.ofNullable(response.getError()).orElse("no_error_code");
    return PASSING.contains(error)
        ? new Answer.Wait<>(Optional.empty(), "Slack answered " + error)
        : new Answer.No<>(error);
  }

  private static boolean isPassing(int status) {
    return status == 408 || status == 429 || status >= 500;
  }

  private static <T> Answer<T> unreachable(IOException e) {
    return new Answer.Wait<>(
        Optional.empty(), "Slack is unreachable: " + e.getClass().getSimpleName());
  }

  private static Optional<Duration> retryAfter(SlackApiException e) {
    return Optional.ofNullable(e.getResponse().header("Retry-After"))
        .filter(it -> SECONDS.matcher(it).matches())
        .map(it -> Duration.ofSeconds(Long.parseLong(it)));
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static Optional<URI> address(@Nullable String url) {
    try {
      return Optional.ofNullable(url).map(URI::create).filter(URI::isAbsolute);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  Answer<String> unreact(SlackPlace.Message message, String emoji) {
    return call(() ->
            methods.reactionsRemove(
                r -> r.channel(message.channel()).timestamp(message.ts()).name(emoji)))
        .map(_ -> message.ts());
  }

  @Override
  public void close() {
    try {
      slack.close();
    } catch (Exception e) {
      throw new IllegalStateException("Slack's client did not close", e);
    }
  }
}
