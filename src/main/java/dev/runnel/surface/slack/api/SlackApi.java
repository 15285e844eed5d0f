package dev.runnel.surface.slack.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.slack.api.Slack;
import com.slack.api.app_backend.interactive_components.ActionResponseSender;
import com.slack.api.app_backend.interactive_components.response.ActionResponse;
import com.slack.api.methods.MethodsClient;
import com.slack.api.methods.SlackApiException;
import com.slack.api.methods.SlackApiTextResponse;
import com.slack.api.methods.request.files.FilesCompleteUploadExternalRequest;
import com.slack.api.methods.response.conversations.ConversationsMembersResponse;
import com.slack.api.model.User;
import com.slack.api.model.view.View;
import com.slack.api.util.http.SlackHttpClient;
import dev.runnel.core.port.ProxyRefused;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.kit.InterruptedCalls;
import dev.runnel.surface.kit.SameHostRedirects;
import dev.runnel.surface.kit.SharedProxy;
import dev.runnel.surface.slack.model.SlackClient;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import okhttp3.FormBody;
import okhttp3.OkHttpClient;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;

/// Calls Slack's Web API. Every failure is returned as a [SlackResponse]; nothing is retried here.
public final class SlackApi implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 15_000;
  private static final int PAGE = 200;
  private static final int MEMBERS_A_PAGE = 900;
  private static final int MAX_MEMBER_PAGES = 10;
  private static final long MAX_ANSWER = 8 * 1024 * 1024;
  private static final JsonMapper JSON = BoundedJson.mapper().build();
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,6}");
  private static final Set<String> PASSING =
      Set.of(
          """
          ratelimited rate_limited message_limit_exceeded internal_error fatal_error
          service_unavailable request_timeout team_added_to_org external_channel_migrating
          """
              .split("\\s+"));

  private final Slack slack;
  private final MethodsClient methods;
  private final Optional<String> token;
  private final Function<String, SlackResponse<?>> refusals;

  /// The result of every call while no call is possible; null when calls are possible.
  private final @Nullable SlackResponse<?> unavailable;

  /// @param platform its interceptors see each call of a method, and its proxy is used
  public SlackApi(SlackConfig config, OkHttpClient platform) {
    var sdk = new com.slack.api.SlackConfig();
    sdk.setMethodsEndpointUrlPrefix(config.apiUrl().toString());
    sdk.setHttpClientCallTimeoutMillis(TIMEOUT_MILLIS);
    sdk.setStatsEnabled(false);
    // The SDK's default listeners would log request bodies.
    sdk.setHttpClientResponseHandlers(List.of());
    // The SDK would use the proxy of the environment for all addresses, and decode no password.
    sdk.setProxyUrl(null);
    // By default the client repeats a request whose response was lost, which would post a message
    // twice.
    var http =
        SharedProxy.of(platform, SlackHttpClient.buildOkHttpClient(sdk).newBuilder())
            .retryOnConnectionFailure(false);
    http.interceptors().addAll(platform.interceptors());
    http.addInterceptor(new InterruptedCalls());
    http.addNetworkInterceptor(new SameHostRedirects());
    slack = Slack.getInstance(sdk, new SlackHttpClient(http.build()));
    token = config.botToken();
    methods = token.map(slack::methods).orElseGet(slack::methods);
    refusals = SlackResponse.No::new;
    unavailable = null;
  }

  SlackApi(
      Slack slack,
      Optional<String> token,
      Function<String, SlackResponse<?>> refusals,
      @Nullable SlackResponse<?> unavailable) {
    this.slack = slack;
    this.token = token;
    this.methods = token.map(slack::methods).orElseGet(slack::methods);
    this.refusals = refusals;
    this.unavailable = unavailable;
  }

  /// A copy for another workspace. It does not need to be closed.
  ///
  /// @param refusals maps Slack's error code to a result, since the token may have become invalid
  public SlackApi with(String token, Function<String, SlackResponse<?>> refusals) {
    return new SlackApi(slack, Optional.of(token), refusals, null);
  }

  /// A copy that maps error codes with another function.
  public SlackApi withErrors(Function<String, SlackResponse<?>> judge) {
    return new SlackApi(slack, token, judge, null);
  }

  /// A copy for a workspace that cannot be called: every call returns the given result.
  ///
  /// @param why a [SlackResponse.Wait] or a [SlackResponse.No]
  public SlackApi unavailable(SlackResponse<?> why) {
    return new SlackApi(slack, Optional.empty(), refusals, why);
  }

  /// The token used for calls; empty for calls that belong to no workspace.
  public Optional<String> token() {
    return token;
  }

  /// For Bolt, which shares this client.
  public Slack sdk() {
    return slack;
  }

  public SlackResponse<SlackIdentity> identity() {
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

  /// Exchanges the authorization code of an installation, which Slack accepts once, for tokens.
  public SlackResponse<SlackGrant> install(SlackClient client, String code, URI redirect) {
    return call(() ->
            methods.oauthV2Access(
                r ->
                    r.clientId(client.id())
                        .clientSecret(client.secret())
                        .code(code)
                        .redirectUri(redirect.toString())))
        .map(SlackGrant::of);
  }

  /// Exchanges a refresh token, which Slack accepts once, for a new token pair.
  public SlackResponse<SlackGrant> renew(SlackClient client, String refreshToken) {
    return call(() ->
            methods.oauthV2Access(
                r ->
                    r.clientId(client.id())
                        .clientSecret(client.secret())
                        .grantType("refresh_token")
                        .refreshToken(refreshToken)))
        .map(SlackGrant::of);
  }

  /// The URL of a new socket. It contains a ticket: keep it secret.
  public SlackResponse<String> openSocket(String appToken) {
    return call(() -> methods.appsConnectionsOpen(r -> r.token(appToken)))
        .map(it -> orEmpty(it.getUrl()));
  }

  /// @param thread the timestamp of the thread's first message; null to post in the channel
  /// @return the new message's timestamp
  public SlackResponse<String> post(String channel, @Nullable String thread, SlackPost post) {
    return post(channel, thread, post, false);
  }

  /// @param thread the timestamp of the thread's first message; null to post in the channel
  /// @param inChannel whether the channel shows the message of a thread, too
  /// @return the new message's timestamp
  public SlackResponse<String> post(
      String channel, @Nullable String thread, SlackPost post, boolean inChannel) {
    return call(() ->
            methods.chatPostMessage(
                r ->
                    r.channel(channel)
                        .threadTs(thread)
                        .replyBroadcast(thread != null && inChannel)
                        .text(post.text())
                        .blocks(post.blocks())
                        .unfurlLinks(false)
                        .unfurlMedia(false)))
        .map(it -> orEmpty(it.getTs()));
  }

  public SlackResponse<String> update(SlackPlace.Message message, SlackPost post) {
    return call(() ->
            methods.chatUpdate(
                r ->
                    r.channel(message.channel())
                        .ts(message.ts())
                        .text(post.text())
                        .blocks(post.blocks())))
        .map(_ -> message.ts());
  }

  /// Posts an ephemeral message, which only one user sees and Slack does not keep.
  public SlackResponse<String> postPrivately(
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

  /// Opens a modal view.
  ///
  /// @param trigger the trigger id of the interaction; valid once, for three seconds
  public SlackResponse<String> openView(String trigger, View view) {
    return call(() -> methods.viewsOpen(r -> r.triggerId(trigger).view(view))).map(_ -> trigger);
  }

  /// Publishes a view to a user's Home tab, replacing the one before.
  public SlackResponse<String> publishView(String user, View view) {
    return call(() -> methods.viewsPublish(r -> r.userId(user).view(view))).map(_ -> user);
  }

  /// Responds to a command or a button press privately, at its response URL.
  public SlackResponse<String> respond(String responseUrl, SlackPost post) {
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
        return new SlackResponse.Ok<>("");
      }
      return isPassing(status)
          ? new SlackResponse.Wait<>(
              Optional.empty(), "response_url responded with status " + status)
          : new SlackResponse.No<>("response_url_" + status);
    } catch (IOException e) {
      return unreachable(e);
    }
  }

  /// Ends a step of a workflow.
  ///
  /// @param execution Slack's id of the execution of the step
  public SlackResponse<String> completeStep(String execution, Map<String, String> outputs) {
    return call(() ->
            methods.functionsCompleteSuccess(
                r -> r.functionExecutionId(execution).outputs(outputs)))
        .map(_ -> execution);
  }

  /// Ends a step of a workflow, and the workflow with it.
  public SlackResponse<String> failStep(String execution, String why) {
    return call(() ->
            methods.functionsCompleteError(r -> r.functionExecutionId(execution).error(why)))
        .map(_ -> execution);
  }

  public SlackResponse<String> react(SlackPlace.Message message, String emoji) {
    return call(() ->
            methods.reactionsAdd(
                r -> r.channel(message.channel()).timestamp(message.ts()).name(emoji)))
        .map(_ -> message.ts());
  }

  /// The messages of a thread, oldest first. Every page starts with the thread's first message.
  ///
  /// @param oldest a timestamp; earlier messages are omitted
  /// @param latest a timestamp; this message and later ones are omitted
  public SlackPages thread(SlackPlace place, @Nullable String oldest, @Nullable String latest) {
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
            .map(it -> SlackPages.Page.of(it.getMessages(), it.getResponseMetadata()));
  }

  /// A channel's messages outside threads, newest first.
  public SlackPages channel(String channel, String oldest) {
    return cursor ->
        call(() ->
                methods.conversationsHistory(
                    r -> r.channel(channel).oldest(oldest).cursor(cursor).limit(PAGE)))
            .map(it -> SlackPages.Page.of(it.getMessages(), it.getResponseMetadata()));
  }

  SlackResponse<String> name(String user) {
    return call(() -> methods.usersInfo(r -> r.user(user)))
        .map(it -> Optional.ofNullable(it.getUser()).flatMap(SlackApi::name).orElse(user));
  }

  public SlackResponse<SlackAccount> account(String user) {
    return call(() -> methods.usersInfo(r -> r.user(user)))
        .map(
            it ->
                Optional.ofNullable(it.getUser())
                    .map(SlackAccount::of)
                    .orElse(SlackAccount.UNKNOWN));
  }

  /// The ids of the users in a user group.
  public SlackResponse<Set<String>> userGroup(String id) {
    return call(() -> methods.usergroupsUsersList(r -> r.usergroup(id)))
        .map(
            it ->
                Optional.ofNullable(it.getUsers()).<Set<String>>map(Set::copyOf).orElse(Set.of()));
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

  /// Calls a method that the SDK does not support, or supports only in part.
  SlackResponse<JsonNode> form(String method, Map<String, String> fields) {
    if (unavailable != null) {
      return unavailable.as();
    }
    var form = new FormBody.Builder();
    fields.forEach(form::add);
    try (var response = methods.runPostFormWithToken(form, method, token.orElse(""))) {
      if (!response.isSuccessful()) {
        return isPassing(response.code())
            ? new SlackResponse.Wait<>(
                retryAfter(response), "Slack responded with status " + response.code())
            : new SlackResponse.No<>("http_" + response.code());
      }
      var answer = JSON.readTree(response.peekBody(MAX_ANSWER).bytes());
      return answer.path("ok").asBoolean()
          ? new SlackResponse.Ok<>(answer)
          : refused(answer.path("error").asText("no_error_code"));
    } catch (JsonProcessingException e) {
      return new SlackResponse.Wait<>(Optional.empty(), "unreadable response");
    } catch (IOException e) {
      return unreachable(e);
    }
  }

  @FunctionalInterface
  private interface Call<T> {
    T run() throws IOException, SlackApiException;
  }

  private <T extends SlackApiTextResponse> SlackResponse<T> call(Call<T> call) {
    if (unavailable != null) {
      return unavailable.as();
    }
    T response;
    try {
      response = call.run();
    } catch (SlackApiException e) {
      var status = e.getResponse().code();
      if (isPassing(status)) {
        return new SlackResponse.Wait<>(
            retryAfter(e.getResponse()), "Slack responded with status " + status);
      }
      return new SlackResponse.No<>("http_" + status);
    } catch (IOException e) {
      return unreachable(e);
    } catch (RuntimeException e) {
      // The SDK throws its JSON parser's exceptions when a proxy responds instead of Slack.
      return new SlackResponse.Wait<>(
          Optional.empty(), "unreadable response: " + e.getClass().getSimpleName());
    }
    if (response.isOk()) {
      return new SlackResponse.Ok<>(response);
    }
    return refused(Optional.ofNullable(response.getError()).orElse("no_error_code"));
  }

  private <T> SlackResponse<T> refused(String error) {
    return PASSING.contains(error)
        ? new SlackResponse.Wait<>(Optional.empty(), "Slack responded with error " + error)
        : refusals.apply(error).as();
  }

  private static boolean isPassing(int status) {
    return status == 408 || status == 429 || status >= 500;
  }

  private static <T> SlackResponse<T> unreachable(IOException e) {
    return new SlackResponse.Wait<>(
        Optional.empty(), "Slack is unreachable: " + ProxyRefused.why(e));
  }

  private static Optional<Duration> retryAfter(Response response) {
    return Optional.ofNullable(response.header("Retry-After"))
        .filter(it -> SECONDS.matcher(it).matches())
        .map(it -> Duration.ofSeconds(Long.parseLong(it)));
  }

  static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static Optional<URI> address(@Nullable String url) {
    try {
      return Optional.ofNullable(url).map(URI::create).filter(URI::isAbsolute);
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /// A channel's name, without its `#`.
  SlackResponse<String> channelName(String channel) {
    return call(() -> methods.conversationsInfo(r -> r.channel(channel)))
        .map(
            it ->
                Optional.ofNullable(it.getChannel())
                    .flatMap(found -> Optional.ofNullable(found.getName()))
                    .filter(name -> !name.isBlank())
                    .orElse(channel));
  }

  /// Who can read a channel.
  ///
  /// @param isPrivate whether only its members
  /// @param isJoined whether the bot is a member
  public record ChannelAccess(boolean isPrivate, boolean isJoined) {}

  public SlackResponse<ChannelAccess> access(String channel) {
    return call(() -> methods.conversationsInfo(r -> r.channel(channel)))
        .map(
            it -> {
              var found = it.getChannel();
              return found == null
                  ? new ChannelAccess(true, false)
                  : new ChannelAccess(
                      found.isPrivate() || found.isIm() || found.isMpim(), found.isMember());
            });
  }

  /// Whether a user is among the members of a channel; only the first few pages of the list are
  /// read.
  public SlackResponse<Boolean> hasMember(String channel, String user) {
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < MAX_MEMBER_PAGES; page++) {
      var at = cursor.orElse(null);
      var response =
          call(
              () ->
                  methods.conversationsMembers(
                      r -> r.channel(channel).cursor(at).limit(MEMBERS_A_PAGE)));
      if (!(response instanceof SlackResponse.Ok<ConversationsMembersResponse>(var listed))) {
        return response.as();
      }
      if (listed.getMembers() != null && listed.getMembers().contains(user)) {
        return new SlackResponse.Ok<>(true);
      }
      cursor =
          Optional.ofNullable(listed.getResponseMetadata())
              .flatMap(it -> Optional.ofNullable(it.getNextCursor()))
              .filter(it -> !it.isEmpty());
      if (cursor.isEmpty()) {
        break;
      }
    }
    return new SlackResponse.Ok<>(false);
  }

  /// The URL to upload a file's contents to, and the file's id.
  public record Upload(String address, String id) {}

  /// Requests an upload URL. The file stays invisible until it is shared.
  ///
  /// @param length in bytes
  public SlackResponse<Upload> beginUpload(String name, int length) {
    return call(() -> methods.filesGetUploadURLExternal(r -> r.filename(name).length(length)))
        .map(it -> new Upload(orEmpty(it.getUploadUrl()), orEmpty(it.getFileId())));
  }

  /// Shows an uploaded file in a thread.
  ///
  /// @return the file's id
  public SlackResponse<String> share(SlackPlace place, String id, String title) {
    var file = FilesCompleteUploadExternalRequest.FileDetails.builder().id(id).title(title).build();
    return call(() ->
            methods.filesCompleteUploadExternal(
                r -> r.files(List.of(file)).channelId(place.channel()).threadTs(place.thread())))
        .map(_ -> id);
  }

  public SlackResponse<String> unreact(SlackPlace.Message message, String emoji) {
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
      throw new IllegalStateException("Slack's client could not be closed", e);
    }
  }
}
