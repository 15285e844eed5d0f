package dev.runnel.testkit;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// The Slack emulator local-slack as a process of its own: a workspace with two people, a channel
/// and our app, that sends signed requests and keeps what is posted.
public final class LocalSlack implements AutoCloseable {
  public static final String TEAM = "T0ACME";
  public static final String CHANNEL = "C0DEV";
  public static final String ANN = "U0ANN";
  public static final String BOB = "U0BOB";
  public static final String BOT = "U0RUNNEL";
  public static final String BOT_TOKEN = "xoxb-local-slack";
  public static final String APP_TOKEN = "xapp-local-slack";
  public static final String SIGNING_SECRET = "local-slack-signing-secret";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = HttpClient.newHttpClient();
  private final Process process;
  private final Path folder;
  private final URI address;
  private final Transport transport;

  /// How it reaches the app.
  public enum Transport {
    HTTP,
    SOCKET
  }

  private LocalSlack(Process process, Path folder, URI address, Transport transport) {
    this.process = process;
    this.folder = folder;
    this.address = address;
    this.transport = transport;
  }

  /// Starts one that sends everything to an address; skips the test where there is no emulator.
  public static LocalSlack start(URI requestUrl) {
    return start(Transport.HTTP, requestUrl, List.of(CHANNEL));
  }

  /// @param requestUrl of no meaning to one that waits for a socket
  public static LocalSlack start(Transport transport, URI requestUrl) {
    return start(transport, requestUrl, List.of(CHANNEL));
  }

  /// The same, with these channels. One whose id begins with `G` is private, and Ann is its only
  /// member beside the bot.
  public static LocalSlack start(URI requestUrl, List<String> channels) {
    return start(Transport.HTTP, requestUrl, channels);
  }

  public static LocalSlack start(Transport transport, URI requestUrl, List<String> channels) {
    var program = Emulators.program("local-slack-linux-x64/bin/local-slack");
    try {
      var folder = Files.createTempDirectory("local-slack");
      var config =
          Files.writeString(folder.resolve("config.json"), config(transport, requestUrl, channels));
      var port = FreePort.next();
      var process =
          new ProcessBuilder(
                  program.toString(),
                  "--config",
                  config.toString(),
                  "--port",
                  Integer.toString(port),
                  "--base-host",
                  "127.0.0.1")
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("output.log").toFile())
              .start();
      var slack =
          new LocalSlack(process, folder, URI.create("http://127.0.0.1:" + port), transport);
      slack.awaitStart();
      return slack;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String config(Transport transport, URI requestUrl, List<String> channels) {
    var config = JSON.createObjectNode();
    config.putObject("workspace").put("name", "Acme").put("domain", "acme").put("teamId", TEAM);
    config
        .putObject("app")
        .put("appId", "A0RUNNEL")
        .put("botUserId", BOT)
        .put("botName", "runnel")
        .put("botToken", BOT_TOKEN)
        .put("signingSecret", SIGNING_SECRET)
        .put("appToken", APP_TOKEN)
        .put("mode", transport == Transport.HTTP ? "events" : "socket")
        .put("requestUrl", requestUrl.toString());
    var users = config.putArray("users");
    users.addObject().put("id", ANN).put("name", "ann");
    users.addObject().put("id", BOB).put("name", "bob");
    var rooms = config.putArray("channels");
    for (var id : channels) {
      var name = id.equals(CHANNEL) ? "dev" : id.toLowerCase(Locale.ROOT);
      var room = rooms.addObject().put("id", id).put("name", name);
      var members = room.put("is_private", id.startsWith("G")).putArray("members");
      members.add(ANN).add(BOT);
      if (!id.startsWith("G")) {
        members.add(BOB);
      }
    }
    return config.toString();
  }

  private void awaitStart() {
    try {
      await("local-slack on " + address)
          .atMost(Duration.ofSeconds(60))
          .ignoreExceptions()
          .failFast("local-slack ended: see " + folder, () -> !process.isAlive())
          .until(() -> get("state").has("channels"));
    } catch (RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /// Without a path.
  public URI uri() {
    return address;
  }

  /// What the bot needs to know of it.
  public Map<String, String> settings() {
    var proof = transport == Transport.HTTP ? "SLACK_SIGNING_SECRET" : "SLACK_APP_TOKEN";
    return Map.of(
        proof,
        transport == Transport.HTTP ? SIGNING_SECRET : APP_TOKEN,
        "SLACK_BOT_TOKEN",
        BOT_TOKEN,
        "SLACK_API_URL",
        address + "/api/");
  }

  /// Somebody types a slash command; returns when the app has answered.
  public void command(String channel, String user, String command, String text) {
    control(
        "command",
        JSON.createObjectNode()
            .put("channel", channel)
            .put("user", user)
            .put("command", command)
            .put("text", text));
  }

  /// Somebody says something.
  ///
  /// @return the message's timestamp
  public String message(String channel, String user, String text) {
    return said(
        JSON.createObjectNode().put("channel", channel).put("user", user).put("text", text));
  }

  /// Somebody answers in a thread.
  public String reply(String channel, String thread, String user, String text) {
    return said(
        JSON.createObjectNode()
            .put("channel", channel)
            .put("thread_ts", thread)
            .put("user", user)
            .put("text", text));
  }

  /// Somebody shares a file.
  ///
  /// @param thread empty for the channel itself
  public String share(
      String channel, String thread, String user, String text, String name, byte[] bytes) {
    var boundary = "local-slack-boundary";
    var body = new ByteArrayOutputStream();
    for (var field :
        Map.of("channel", channel, "user", user, "text", text, "thread_ts", thread).entrySet()) {
      body.writeBytes(
          "--%s\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n"
              .formatted(boundary, field.getKey(), field.getValue())
              .getBytes(StandardCharsets.UTF_8));
    }
    body.writeBytes(
        "--%s\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n\r\n"
            .formatted(boundary, name)
            .getBytes(StandardCharsets.UTF_8));
    body.writeBytes(bytes);
    body.writeBytes("\r\n--%s--\r\n".formatted(boundary).getBytes(StandardCharsets.UTF_8));
    var answer =
        send(
            HttpRequest.newBuilder(address.resolve("/_control/upload"))
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                .build());
    if (!answer.path("ok").asBoolean()) {
      throw new AssertionError("upload answered " + answer);
    }
    return answer.at("/message/ts").asText();
  }

  /// Somebody changes a message of theirs.
  public void edit(String channel, String ts, String user, String text) {
    control("edit-message", about(channel, ts, user).put("text", text));
  }

  /// Somebody deletes a message of theirs.
  public void delete(String channel, String ts, String user) {
    control("delete-message", about(channel, ts, user));
  }

  /// Somebody sets a reaction on a message.
  ///
  /// @param name as Slack writes it, without colons
  public void react(String channel, String ts, String user, String name) {
    control("reaction", about(channel, ts, user).put("name", name));
  }

  /// The address of a message.
  public static String permalink(String channel, String ts) {
    return "http://acme.slack.local/archives/%s/p%s".formatted(channel, ts.replace(".", ""));
  }

  private static ObjectNode about(String channel, String ts, String user) {
    return JSON.createObjectNode().put("channel", channel).put("ts", ts).put("user", user);
  }

  private String said(ObjectNode message) {
    return control("message", message).at("/message/ts").asText();
  }

  /// The channel of direct messages between a person and the bot.
  public String directChannel(String user) {
    return call("/api/conversations.open", JSON.createObjectNode().put("users", user))
        .at("/channel/id")
        .asText();
  }

  /// Somebody presses a button that a message has.
  ///
  /// @throws AssertionError when the message has no such button
  public void press(String channel, String ts, String user, String actionId) {
    var button =
        messages(channel).stream()
            .filter(it -> it.path("ts").asText().equals(ts))
            .flatMap(it -> it.findParents("action_id").stream())
            .filter(it -> it.path("action_id").asText().equals(actionId))
            .findFirst()
            .orElseThrow(() -> new AssertionError("No button " + actionId + " on " + ts));
    var action = ((ObjectNode) button.deepCopy()).put("block_id", "buttons");
    control(
        "interact",
        JSON.createObjectNode()
            .put("channel", channel)
            .put("messageTs", ts)
            .put("user", user)
            .set("action", action));
  }

  /// Everything in a channel, oldest first: threads and what only one person sees included.
  public List<JsonNode> messages(String channel) {
    List<JsonNode> messages = new ArrayList<>();
    get("messages/" + channel).path("messages").forEach(messages::add);
    return messages;
  }

  /// What went over the wire, oldest first: `direction`, `kind`, `summary`, `detail`.
  public List<JsonNode> log() {
    List<JsonNode> log = new ArrayList<>();
    get("log").path("log").forEach(log::add);
    return log;
  }

  private JsonNode control(String action, JsonNode body) {
    return call("/_control/" + action, body);
  }

  private JsonNode get(String path) {
    return send(HttpRequest.newBuilder(address.resolve("/_control/" + path)).build());
  }

  private JsonNode call(String path, JsonNode body) {
    var answer =
        send(
            HttpRequest.newBuilder(address.resolve(path))
                .header("Content-Type", "application/json")
                .header("Authorization", "Bearer " + BOT_TOKEN)
                .POST(HttpRequest.BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8))
                .build());
    if (!answer.path("ok").asBoolean()) {
      throw new AssertionError(path + " answered " + answer);
    }
    return answer;
  }

  private JsonNode send(HttpRequest request) {
    try {
      return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /// Ends the process; its folder goes with it.
  @Override
  public void close() {
    http.close();
    process.destroy();
    try {
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      for (var file : List.of("config.json", "output.log")) {
        Files.deleteIfExists(folder.resolve(file));
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
