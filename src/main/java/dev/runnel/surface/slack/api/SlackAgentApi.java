package dev.runnel.surface.slack.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.model.SlackPrompts;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The Web API methods of Slack's agent view: sessions, status, suggested prompts and streams. The
/// SDK supports only some of them, and some only in part, so they are sent as forms.
public record SlackAgentApi(SlackApi api) {
  public static final String SET_SESSION = "agents.sessions.setStatus";
  public static final String SET_LINE = "assistant.threads.setStatus";
  public static final String SET_TITLE = "assistant.threads.setTitle";
  public static final String SET_PROMPTS = "assistant.threads.setSuggestedPrompts";
  public static final String START = "chat.startStream";
  public static final String APPEND = "chat.appendStream";
  public static final String STOP = "chat.stopStream";
  public static final String REPLIES = "conversations.replies";

  /// All methods that this type calls.
  public static final List<String> METHODS =
      List.of(SET_SESSION, SET_LINE, SET_TITLE, SET_PROMPTS, START, APPEND, STOP, REPLIES);

  private static final Set<String> THREAD_ERRORS =
      Set.of(
          """
          channel_not_found thread_not_found invalid_thread_ts message_not_found not_in_channel
          is_archived user_not_found user_not_in_channel invalid_auth not_authed account_inactive
          token_revoked token_expired
          """
              .split("\\s+"));

  private static final String NO_STOP_BUTTON = "missing_agent_session_stopped_event_subscription";
  private static final JsonMapper JSON = BoundedJson.mapper().build();

  /// The status of a session, by Slack's names.
  public enum Session {
    PROCESSING("processing"),
    /// Waiting for a person.
    SUSPENDED("suspended"),
    ACTIVE("active");

    private final String word;

    Session(String word) {
      this.word = word;
    }
  }

  /// Whether an error concerns one thread or the credential, and not what the app can do in the
  /// workspace.
  public static boolean concernsThread(String error) {
    return THREAD_ERRORS.contains(error);
  }

  /// Sets the status of the thread's session; the first call creates the session.
  ///
  /// @param title of a new session; may be empty
  /// @param user who started it
  /// @return whether Slack shows its stop button
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

  /// Sets the status line under the thread, after the app's name. Slack clears it after two
  /// minutes, and when a message is posted.
  ///
  /// @param words empty to clear the line
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

  /// @param thread the thread of an assistant app (the earlier kind); null otherwise, where Slack
  ///   would ignore the call
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

  /// Starts a stream, a message to which content is appended. Slack closes it after five minutes.
  ///
  /// @param user the user who made the request
  /// @return the message's timestamp
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

  /// Finds a message of our own: one that contains the mark, or one that is still streaming and
  /// contains none.
  ///
  /// @param oldest a timestamp; earlier messages are not searched
  public SlackResponse<Optional<String>> find(
      SlackPlace place, String oldest, SlackPost.Mark mark) {
    return api.form(
            REPLIES,
            Map.of(
                "channel", place.channel(), "ts", place.thread(), "oldest", oldest, "limit", "200"))
        .map(
            answer -> {
              var messages = answer.path("messages").valueStream().toList();
              return messages.stream()
                  .filter(it -> it.toString().contains(mark.value()))
                  .findFirst()
                  .or(() -> messages.stream().filter(SlackAgentApi::isUnmarkedStream).findFirst())
                  .map(it -> it.path("ts").asText());
            });
  }

  private static boolean isUnmarkedStream(JsonNode message) {
    return message.path("streaming_state").asText().equals("in_progress")
        && !message.toString().contains(SlackPost.Mark.PREFIX);
  }
}
