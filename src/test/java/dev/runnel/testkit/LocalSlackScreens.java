package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/// What people see and do in local-slack beside messages, over the connection of its web page: the
/// Home tab, and forms, which are filled in and sent.
public final class LocalSlackScreens implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<JsonNode> heard = new CopyOnWriteArrayList<>();
  private final WebSocket socket;

  public LocalSlackScreens(LocalSlack slack) {
    var address = URI.create(slack.uri().toString().replaceFirst("^http", "ws") + "/ui");
    var listener =
        new WebSocket.Listener() {
          private final StringBuilder frame = new StringBuilder();

          @Override
          public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
            frame.append(part);
            if (last) {
              heard.add(json(frame.toString()));
              frame.setLength(0);
            }
            from.request(1);
            return CompletableFuture.completedFuture(null);
          }
        };
    socket = http.newWebSocketBuilder().buildAsync(address, listener).join();
  }

  private static JsonNode json(String text) {
    try {
      return JSON.readTree(text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Stream<JsonNode> heard(String kind) {
    return heard.stream().filter(it -> it.path("t").asText().equals(kind));
  }

  /// Somebody opens the Home tab.
  public void openHome(String user) {
    send(JSON.createObjectNode().put("t", "open_home").put("user", user));
  }

  /// What the Home tab shows; empty before it was filled.
  public Optional<JsonNode> home(String user) {
    return heard("home")
        .filter(it -> it.path("user").asText().equals(user))
        .map(it -> it.path("view"))
        .reduce((_, newer) -> newer);
  }

  /// Somebody presses a button on the Home tab.
  public void pressOnHome(String user, JsonNode button) {
    var action = ((ObjectNode) button.deepCopy()).put("block_id", "b");
    send(JSON.createObjectNode().put("t", "block_action").put("user", user).set("action", action));
  }

  /// The form that is open.
  public Optional<JsonNode> form() {
    return heard("view")
        .map(it -> it.path("stack"))
        .reduce((_, newer) -> newer)
        .filter(stack -> !stack.isEmpty())
        .map(stack -> stack.get(stack.size() - 1));
  }

  /// Somebody sends the form that is open, with these values beside those that stood in it.
  ///
  /// @param values by block, as the form's elements have them
  public void submit(String user, Map<String, JsonNode> values) {
    var all = JSON.createObjectNode();
    for (var block : form().orElseThrow().path("blocks")) {
      var element = block.path("element");
      var given = values.get(block.path("block_id").asText());
      if (block.path("type").asText().equals("input")) {
        all.putObject(block.path("block_id").asText())
            .set(element.path("action_id").asText(), given == null ? initial(element) : given);
      }
    }
    send(JSON.createObjectNode().put("t", "view_submit").put("user", user).set("values", all));
  }

  private static JsonNode initial(JsonNode element) {
    var input = JSON.createObjectNode().put("type", element.path("type").asText());
    return element.has("initial_option")
        ? input.set("selected_option", element.path("initial_option"))
        : input.put("value", element.path("initial_value").textValue());
  }

  /// What somebody types into an input.
  public static JsonNode typed(String text) {
    return JSON.createObjectNode().put("type", "plain_text_input").put("value", text);
  }

  /// The channel that somebody chooses.
  public static JsonNode chosen(String channel) {
    return JSON.createObjectNode()
        .put("type", "conversations_select")
        .put("selected_conversation", channel);
  }

  /// What the forms said was wrong in them, by block, in their order.
  public List<JsonNode> errors() {
    return heard("view_errors").map(it -> it.path("errors")).toList();
  }

  private void send(JsonNode frame) {
    socket.sendText(frame.toString(), true).join();
  }

  @Override
  public void close() {
    socket.abort();
    http.close();
  }
}
