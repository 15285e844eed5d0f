package dev.runnel.surface.slack.receive;

import com.slack.api.Slack;
import com.slack.api.bolt.App;
import com.slack.api.bolt.AppConfig;
import com.slack.api.bolt.middleware.builtin.SSLCheck;
import com.slack.api.bolt.request.Request;
import com.slack.api.bolt.request.RequestHeaders;
import com.slack.api.bolt.response.Response;
import com.slack.api.bolt.util.SlackRequestParser;
import dev.runnel.core.model.RawRequest;
import dev.runnel.core.model.Reply;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackIdentity;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Runs Bolt, after our own signature check, for handshakes and every kind of request that
/// [SlackPayloads] does not read. It makes no calls: the bot's identity is passed to it.
public final class BoltApp {
  private static final Pattern ANY = Pattern.compile(".*", Pattern.DOTALL);

  private final App app;
  private final SlackRequestParser parser;

  public BoltApp(SlackConfig config, Slack slack, Supplier<Optional<SlackIdentity>> identity) {
    var bolt =
        AppConfig.builder()
            .slack(slack)
            .singleTeamBotToken(config.botToken().orElse(null))
            // Already verified, over the raw bytes and with every secret, or by the socket.
            .requestVerificationEnabled(false)
            .authTestCacheEnabled(true)
            .authTestCacheExpirationMillis(-1)
            .ignoringSelfEventsEnabled(false)
            .unmatchedRequestHandler(_ -> Response.ok())
            .build();
    app =
        new App(
            bolt,
            slack,
            List.of(
                new SSLCheck(null),
                (request, _, chain) -> {
                  identity.get().ifPresent(it -> authorize(request, it, config.botToken()));
                  return chain.next(request);
                }));
    // Closes a modal or ends a spinner; a 404 would make Slack show an error.
    app.viewSubmission(ANY, (_, context) -> context.ack());
    app.viewClosed(ANY, (_, context) -> context.ack());
    app.blockSuggestion(ANY, (_, context) -> context.ack());
    app.globalShortcut(ANY, (_, context) -> context.ack());
    app.messageShortcut(ANY, (_, context) -> context.ack());
    parser = new SlackRequestParser(bolt);
  }

  private static void authorize(
      Request<?> request, SlackIdentity identity, Optional<String> token) {
    var context = request.getContext();
    token.ifPresent(context::setBotToken);
    context.setBotId(identity.botId());
    context.setBotUserId(identity.userId());
    context.setTeamId(identity.team());
  }

  public void start() {
    app.start();
  }

  public WebhookResult receive(RawRequest request) {
    Response response;
    try {
      response = app.run(parser.parse(translated(request)));
    } catch (Exception e) {
      // Bolt throws its JSON parser's exceptions, whose messages would quote the body.
      return new WebhookResult.Rejected(
          Reply.empty(400), "unreadable for Bolt: " + e.getClass().getSimpleName());
    }
    int status = response.getStatusCode();
    var body = Optional.ofNullable(response.getBody()).orElse("");
    var reply =
        new Reply(
            status,
            body.isEmpty() ? "" : Optional.ofNullable(response.getContentType()).orElse(""),
            body);
    return status < 300
        ? new WebhookResult.Answered(reply)
        : new WebhookResult.Rejected(reply, "Bolt answered " + status);
  }

  private static SlackRequestParser.HttpRequest translated(RawRequest request) {
    return SlackRequestParser.HttpRequest.builder()
        .requestUri(request.path())
        .requestBody(new String(request.body(), StandardCharsets.UTF_8))
        .headers(
            new RequestHeaders(
                request.headers().entrySet().stream()
                    .collect(Collectors.toMap(it -> it.getKey(), it -> List.of(it.getValue())))))
        .build();
  }
}
