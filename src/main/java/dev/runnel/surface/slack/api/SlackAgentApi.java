package dev.runnel.surface.slack.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.model.SlackPrompts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/// The calls of Slack's agent view: sessions, the status line, prompts, and streams. The SDK knows
/// some of them, and of some not all, so they are made as forms.
public record SlackAgentApi(SlackApi api) {
  public static final String SET_SESSION = "agents.sessions.setStatus";
  public static final String SET_LINE = "assistant.threads.setStatus";
  public static final String SET_TITLE = "assistant.threads.setTitle";
  public static final String SET_PROMPTS = "assistant.threads.setSuggestedPrompts";
  public static final String START = "chat.startStream";
  public static final String APPEND = "chat.appendStream";
  public static final String STOP = "chat.stopStream";
  public static final String REPLIES = "conversations.replies";

  /// All of them.
  public static final List<String> METHODS =
      List.of(SET_SESSION, SET_LINE, SET_TITLE, SET_PROMPTS, START, APPEND, STOP, REPLIES);

  private static final String NO_STOP_BUTTON = "missing_agent_session_stopped_event_subscription";
  private static final JsonMapper JSON = JsonMapper.builder().build();

  /// How a session fares, in Slack's words.
  public enum Session {
    PROCESSING("processing"),
    /// It waits for a person.
    SUSPENDED("suspended"),
    ACTIVE("active");

    private final String word;

    Session(String word) {
      this.word = word;
    }
  }

  /// Tells how the thread's session fares; the first time makes it.
  ///
  /// @param title of a session that is made; may be empty
  /// @param user who began it
  /// @return whether Slack shows its button that stops
  public SlackResponse<Boolean> session(
      SlackPlace place, Session session, String title, String user) {
    var fields = inThread(place);
    fields.put("status", session.word);
    fields.put("initiator_user_id", user);
    if (!title.isEmpty()) {
      fields.put("title", title);
    }
    return api.form(SET_SESSION, fields).map(answer -> !answer.toString().contains(NO_STOP_BUTTON));
  }

  /// The line under the thread, behind the app's name; Slack takes it away after two minutes, and
  /// when something is posted.
  ///
  /// @param words empty to take it away
  public SlackResponse<JsonNode> line(SlackPlace place, String words) {
    var fields = inThread(place);
    fields.put("status", words);
    return api.form(SET_LINE, fields);
  }

  public SlackResponse<JsonNode> title(SlackPlace place, String title) {
    var fields = inThread(place);
    fields.put("title", title);
    return api.form(SET_TITLE, fields);
  }

  /// @param thread of an app of the earlier kind; null else, where Slack would drop the call
  public SlackResponse<JsonNode> prompts(
      String channel, @Nullable String thread, SlackPrompts prompts) {
    var all = JSON.createArrayNode();
    prompts
        .all()
        .forEach(each -> all.addObject().put("title", each.title()).put("message", each.message()));
    var fields = new HashMap<>(Map.of("channel_id", channel, "prompts", all.toString()));
    if (thread != null) {
      fields.put("thread_ts", thread);
    }
    return api.form(SET_PROMPTS, fields);
  }

  private static Map<String, String> inThread(SlackPlace place) {
    return new HashMap<>(Map.of("channel_id", place.channel(), "thread_ts", place.thread()));
  }

  /// Opens a message that grows. Slack closes it after five minutes, whatever is done.
  ///
  /// @param user who asked
  /// @return its timestamp
  public SlackResponse<String> startStream(SlackPlace place, String user, ArrayNode chunks) {
    return api.form(
            START,
            Map.of(
                "channel", place.channel(),
                "thread_ts", place.thread(),
                "recipient_user_id", user,
                "recipient_team_id", place.team(),
                "task_display_mode", "plan",
                "chunks", chunks.toString()))
        .map(answer -> answer.path("ts").asText());
  }

  public SlackResponse<JsonNode> append(SlackPlace.Message message, ArrayNode chunks) {
    return api.form(
        APPEND,
        Map.of("channel", message.channel(), "ts", message.ts(), "chunks", chunks.toString()));
  }

  public SlackResponse<JsonNode> stop(SlackPlace.Message message) {
    return api.form(STOP, Map.of("channel", message.channel(), "ts", message.ts()));
  }

  /// Looks for a message of ours: one that carries the mark, wherever Slack keeps it, or one that
  /// still grows and carries none.
  ///
  /// @param oldest a timestamp
  public SlackResponse<Optional<String>> find(
      SlackPlace place, String oldest, SlackPost.Mark mark) {
    return api.form(
            REPLIES,
            Map.of(
                "channel", place.channel(), "ts", place.thread(), "oldest", oldest, "limit", "200"))
        .map(
            answer -> {
              var messages =
                  StreamSupport.stream(answer.path("messages").spliterator(), false).toList();
              return messages.stream()
                  .filter(it -> it.toString().contains(mark.value()))
                  .findFirst()
                  .or(() -> messages.stream().filter(SlackAgentApi::growsUnmarked).findFirst())
                  .map(it -> it.path("ts").asText());
            });
  }

  private static boolean growsUnmarked(JsonNode message) {
    return message.path("streaming_state").asText().equals("in_progress")
        && !message.toString().contains(SlackPost.Mark.PREFIX);
  }
}
