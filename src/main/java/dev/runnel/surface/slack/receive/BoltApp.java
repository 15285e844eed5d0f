package dev.runnel.surface.slack.receive;

import com.slack.api.Slack;
import com.slack.api.bolt.App;
import com.slack.api.bolt.AppConfig;
import com.slack.api.bolt.middleware.builtin.SSLCheck;
import com.slack.api.bolt.request.Request;
import com.slack.api.bolt.request.RequestHeaders;
import com.slack.api.bolt.response.Response;
import com.slack.api.bolt.util.SlackRequestParser;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/// Runs Bolt, after our own signature check: its handlers read interactions, and it answers
/// handshakes. A handler returns the result that is committed before Slack gets the response. No
/// handler calls Slack.
final class BoltApp {
  private static final Pattern ANY = Pattern.compile(".*", Pattern.DOTALL);
  private static final ScopedValue<Instant> ARRIVED_AT = ScopedValue.newInstance();

  private final App app;
  private final SlackRequestParser parser;

  /// A response that waits for the commit of its result.
  private static final class CommittedResponse extends Response {
    private final WebhookResult result;

    CommittedResponse(WebhookResult result) {
      this.result = result;
    }
  }

  BoltApp(Slack slack, SlackEntryPoints entryPoints, SlackSubmissions forms) {
    var config =
        AppConfig.builder().slack(slack).unmatchedRequestHandler(_ -> Response.ok()).build();
    // Neither Bolt's signature check (a request is verified before, with every secret, or by the
    // socket), nor its authorization, which calls Slack.
    app = new App(config, slack, List.of(new SSLCheck(null)));
    app.blockAction(
        ANY, (it, _) -> response(SlackEntryPoints.pressed(it.getPayload(), ARRIVED_AT.get())));
    app.globalShortcut(
        ANY, (it, _) -> response(SlackEntryPoints.shortcut(it.getPayload(), ARRIVED_AT.get())));
    app.messageShortcut(
        ANY, (it, _) -> response(entryPoints.shortcut(it.getPayload(), ARRIVED_AT.get())));
    app.viewSubmission(
        ANY, (it, _) -> new CommittedResponse(forms.submitted(it.getPayload(), ARRIVED_AT.get())));
    app.viewClosed(ANY, (_, context) -> context.ack());
    app.blockSuggestion(ANY, (_, context) -> context.ack());
    parser = new SlackRequestParser(config);
  }

  private static Response response(Optional<Delivery> delivery) {
    return new CommittedResponse(SlackPayloads.result(delivery));
  }

  void start() {
    app.start();
  }

  /// Handles `url_verification` and `ssl_check`.
  WebhookResult handshake(RawRequest request) {
    return run(
        SlackRequestParser.HttpRequest.builder()
            .requestUri(request.path())
            .requestBody(new String(request.body(), StandardCharsets.UTF_8)),
        request.arrivedAt());
  }

  /// @param payload as [InteractionShape] leaves it
  WebhookResult interaction(String payload, Instant arrivedAt) {
    // For Socket Mode, Bolt expects the payload alone.
    return run(
        SlackRequestParser.HttpRequest.builder().requestBody(payload).socketMode(true), arrivedAt);
  }

  private WebhookResult run(
      SlackRequestParser.HttpRequest.HttpRequestBuilder request, Instant arrivedAt) {
    Request<?> parsed;
    try {
      parsed = parser.parse(request.headers(new RequestHeaders(Map.of())).build());
    } catch (RuntimeException e) {
      // Bolt throws its JSON parser's exceptions, whose messages would quote the body.
      return WebhookResult.Rejected.with(
          400, "Bolt cannot read it: " + e.getClass().getSimpleName());
    }
    Response response;
    try {
      response = ScopedValue.where(ARRIVED_AT, arrivedAt).call(() -> app.run(parsed));
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("Bolt did not call its handler", e);
    }
    if (response instanceof CommittedResponse committed) {
      return committed.result;
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
        : new WebhookResult.Rejected(reply, "Bolt responded with status " + status);
  }
}
