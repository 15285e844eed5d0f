package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import mockwebserver3.SocketEffect;
import org.jspecify.annotations.Nullable;

/// A tracker's API over HTTP with one issue in memory, as its documentation describes it: comments,
/// reactions, labels. Each platform's double adds its addresses.
public abstract class FakeTracker implements AutoCloseable {
  /// @param hidden whether only members see it
  public record Comment(String text, boolean hidden, int edits) {}

  /// Who wrote a comment and when, and when it was last changed.
  ///
  /// @param author by what the tracker knows them
  /// @param name by what people do
  public record Written(String author, String name, Instant at, Instant changed) {}

  /// A moment before the deliveries of the tests.
  private static final Instant BEFORE = Samples.NINE.minusSeconds(30);

  protected static final JsonNodeFactory JSON = JsonNodeFactory.instance;

  private static final JsonMapper MAPPER = new JsonMapper();
  private static final MockResponse NOT_FOUND =
      new MockResponse.Builder().code(404).body("{\"message\": \"Not Found\"}").build();

  private final MockWebServer server = MockServers.create();
  private final Map<Long, Comment> comments = new LinkedHashMap<>();
  private final Map<Long, Written> written = new LinkedHashMap<>();
  private final List<Long> reactions = new ArrayList<>();
  private final Set<String> labels = new TreeSet<>();
  private final List<String> requests = new ArrayList<>();
  private boolean losesNextAnswer;
  private final Map<String, Integer> statuses = new HashMap<>();
  private int status = 200;
  private int pause;
  private long lastComment = 100;
  private @Nullable String title;
  private @Nullable String description;

  protected FakeTracker() {
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return handle(request);
          }
        });
    try {
      server.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public URI address() {
    return URI.create("http://127.0.0.1:" + server.getPort());
  }

  /// @param call method and path without the query: `GET /api/v4/user`
  /// @return null when there is no such thing
  protected abstract @Nullable JsonNode answer(String call, String query, JsonNode body);

  private synchronized MockResponse handle(RecordedRequest request) {
    var target = request.getTarget();
    var at = target.indexOf('?');
    var path = at < 0 ? target : target.substring(0, at);
    var body = request.getBody() == null ? "" : request.getBody().utf8();
    requests.add(request.getMethod() + " " + target);
    if (status != 200) {
      var answer = new MockResponse.Builder().code(status).body("{}");
      return (pause == 0 ? answer : answer.addHeader("Retry-After", String.valueOf(pause))).build();
    }
    var refused = statuses.get(request.getMethod() + " " + path);
    if (refused != null) {
      return new MockResponse.Builder().code(refused).body("{}").build();
    }
    var answer =
        answer(
            request.getMethod() + " " + path, at < 0 ? "" : target.substring(at + 1), read(body));
    if (losesNextAnswer) {
      losesNextAnswer = false;
      return new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build();
    }
    return answer == null
        ? NOT_FOUND
        : new MockResponse.Builder().code(200).body(answer.toString()).build();
  }

  private static JsonNode read(String body) {
    try {
      return body.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // For the doubles.

  public synchronized long add(String text, boolean hidden) {
    lastComment++;
    comments.put(lastComment, new Comment(text, hidden, 0));
    return lastComment;
  }

  /// @return false when it is not there
  protected boolean edit(long id, String text) {
    var edited =
        comments.computeIfPresent(
            id, (_, before) -> new Comment(text, before.hidden(), before.edits() + 1));
    return edited != null;
  }

  protected void react(long comment) {
    reactions.add(comment);
  }

  protected Set<String> labelSet() {
    return labels;
  }

  protected Map<Long, Comment> commentsById() {
    return comments;
  }

  /// What came over the API is ours.
  protected Written written(long comment) {
    return written.getOrDefault(
        comment, new Written(TrackerContract.ACCOUNT, "Runnel", BEFORE, BEFORE));
  }

  /// The description of the issue now.
  protected String description(String otherwise) {
    return description == null ? otherwise : description;
  }

  /// The title of the issue now.
  protected String title(String otherwise) {
    return title == null ? otherwise : title;
  }

  // For the tests.

  /// Somebody comments on the issue.
  public synchronized long writes(String author, String text) {
    return writes(new Written(author, author, BEFORE, BEFORE), text, false);
  }

  public synchronized long writes(Written by, String text, boolean hidden) {
    var comment = add(text, hidden);
    written.put(comment, by);
    return comment;
  }

  /// The issue is changed.
  public synchronized void becomes(String newTitle, String newDescription) {
    title = newTitle;
    description = newDescription;
  }

  /// Oldest first.
  public synchronized List<Comment> comments() {
    return List.copyOf(comments.values());
  }

  /// The comments that got a sign of receipt.
  public synchronized List<Long> reactions() {
    return List.copyOf(reactions);
  }

  public synchronized Set<String> labels() {
    return Set.copyOf(labels);
  }

  /// What was asked, each as method and target.
  public synchronized List<String> requests() {
    return List.copyOf(requests);
  }

  /// The next call has its effect, and its answer does not arrive.
  public synchronized void losesNextAnswer() {
    losesNextAnswer = true;
  }

  /// From now on this call, `GET /api/v4/user`, is answered so; 200 makes it well again.
  public synchronized void answers(String call, int httpStatus) {
    if (httpStatus == 200) {
      statuses.remove(call);
    } else {
      statuses.put(call, httpStatus);
    }
  }

  /// From now on every call is answered so, and asked to wait for so many seconds.
  public synchronized void answersAll(int httpStatus, int retryAfter) {
    status = httpStatus;
    pause = retryAfter;
  }

  /// From now on every call is answered so; 200 makes it well again.
  public synchronized void answersAll(int httpStatus) {
    status = httpStatus;
  }

  @Override
  public void close() {
    server.close();
  }
}
