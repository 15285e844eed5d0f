package dev.runnel.surface.slack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Every recorded delivery with each of its fields spoiled, and several at once, through the real
/// front door. Slack sends again what is answered with an error of ours, so there is none; and what
/// cannot be read has the effect that was meant, a smaller one, or none, but never another.
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SlackSpoiledEventsTest {
  private static final String KIND_OF_A_CHANGED_MESSAGE = "/event/message/subtype";
  private static final JsonMapper JSON = new JsonMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final int COMBINATIONS = 60;

  /// Of a message and of a command.
  private static final Set<String> WORDS = Set.of("/event/text", "/text");

  /// Mark-up that has to be read, more than Slack lets anybody write.
  private static final String HUGE = "<@U0X|x> &amp; *_~`<!a ".repeat(5_000);

  private SlackWaysIn slack;
  private final List<Delivery> accepted = new CopyOnWriteArrayList<>();

  @BeforeAll
  void open() throws Exception {
    slack = new SlackWaysIn();
    slack.keeps(accepted::add);
  }

  @AfterAll
  void close() {
    slack.close();
  }

  static List<String> fixtures() {
    return SlackRequests.names();
  }

  /// How a field is spoiled; the texts are no ids.
  private enum Fault {
    MISSING,
    NULL,
    NUMBER,
    BOOLEAN,
    EMPTY_TEXT,
    TEXT,
    HUGE_TEXT,
    EMPTY_LIST,
    LIST,
    HUGE_LIST,
    OBJECT,
    OBJECT_OF_TEXT;

    Optional<JsonNode> value() {
      return switch (this) {
        case MISSING -> Optional.empty();
        case NULL -> Optional.of(NODES.nullNode());
        case NUMBER -> Optional.of(NODES.numberNode(7));
        case BOOLEAN -> Optional.of(NODES.booleanNode(true));
        case EMPTY_TEXT -> Optional.of(NODES.textNode(""));
        case TEXT -> Optional.of(NODES.textNode("no id / \u0000 ~ : \ud83d\ude80"));
        case HUGE_TEXT -> Optional.of(NODES.textNode(HUGE));
        case EMPTY_LIST -> Optional.of(NODES.arrayNode());
        case LIST -> Optional.of(NODES.arrayNode().add(1).add("a").addNull());
        case HUGE_LIST -> {
          var list = NODES.arrayNode();
          for (var i = 0; i < 2_000; i++) {
            list.addObject().put("id", "F" + i).put("user_id", "U" + i);
          }
          yield Optional.of(list);
        }
        case OBJECT -> Optional.of(NODES.objectNode());
        case OBJECT_OF_TEXT -> Optional.of(NODES.objectNode().put("id", "no id").put("text", "x"));
      };
    }

    boolean isAbsence() {
      return this == MISSING || this == NULL;
    }

    /// As a text, these could be ids.
    boolean isForJson() {
      return this == NULL || this == NUMBER || this == BOOLEAN;
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void eventWithASpoiledFieldIsHandledSafely(String fixture) throws Exception {
    var body = Body.of(fixture);
    var meant = sent(body.text());
    assertThat(slack.overHttp(body.text())).isEqualTo(200);
    for (var field : body.fields()) {
      for (var fault : body.faults()) {
        look(body, meant, Map.of(field, fault));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("fixtures")
  void eventWithSeveralSpoiledFieldsIsHandledSafely(String fixture) throws Exception {
    var seed = new Random().nextLong();
    System.out.printf("spoiled fixture=%s seed=%d%n", fixture, seed);
    RandomGenerator chance = new Random(seed);
    var body = Body.of(fixture);
    var fields = body.fields();
    var faults = body.faults().stream().filter(it -> it != Fault.HUGE_TEXT).toList();
    var meant = sent(body.text());
    for (var i = 0; i < COMBINATIONS; i++) {
      Map<String, Fault> spoiled = new LinkedHashMap<>();
      for (var count = 2 + chance.nextInt(4); count > 0; count--) {
        spoiled.put(
            fields.get(chance.nextInt(fields.size())), faults.get(chance.nextInt(faults.size())));
      }
      look(body, meant, spoiled);
    }
  }

  /// @param spoiled faults by the pointer to their field
  private void look(Body body, Optional<Delivery> meant, Map<String, Fault> spoiled) {
    var delivery = sent(body.with(spoiled));
    if (delivery.isPresent() && meant.isEmpty() && spoiled.containsKey(KIND_OF_A_CHANGED_MESSAGE)) {
      // Without it, what Slack changed looks like a correction by its author. Nothing waits there.
      assertThat(delivery.get().intent()).isInstanceOf(Intent.Amend.class);
    } else if (delivery.isPresent()) {
      assertThat(meant).as("what was noise stays noise: %s", spoiled).isPresent();
      isNoMore(delivery.get(), meant.get(), spoiled);
    }
  }

  private Optional<Delivery> sent(String body) {
    accepted.clear();
    assertThat(slack.atTheDoor(body)).isIn(200, 400, 413);
    assertThat(accepted).hasSizeLessThan(2);
    return accepted.stream().findFirst();
  }

  private static void isNoMore(Delivery is, Delivery meant, Map<String, Fault> spoiled) {
    assertThat(is.actor().id()).as("who: %s", spoiled).isEqualTo(meant.actor().id());
    assertThat(is.addressed() && !meant.addressed()).as("to us: %s", spoiled).isFalse();
    assertThat(is.conversation().place())
        .as("the place: %s", spoiled)
        .isEqualTo(meant.conversation().place());
    if (is.intent() instanceof Intent.Cancel(var run, _)
        && run.isPresent()
        && meant.intent() instanceof Intent.Cancel(var meantRun, _)
        && meantRun.isPresent()) {
      // A stop that names its run is about that run wherever it is said.
      return;
    }
    if (is.intent() instanceof Intent.Cancel(var run, _)
        && meant.intent() instanceof Intent.Cancel(var meantRun, _)) {
      assertThat(run.isPresent()).as("a run by name: %s", spoiled).isEqualTo(meantRun.isPresent());
    }
    // A reply whose thread is not there is a message of its own, as Slack has it.
    var beginsAThread =
        spoiled.entrySet().stream()
            .anyMatch(it -> it.getKey().endsWith("/thread_ts") && it.getValue().isAbsence());
    if (!beginsAThread) {
      assertThat(is.conversation()).as("the thread: %s", spoiled).isEqualTo(meant.conversation());
    }
    // What somebody says is theirs to say.
    var isTextChanged =
        spoiled.entrySet().stream()
            .anyMatch(it -> WORDS.contains(it.getKey()) && !it.getValue().isAbsence());
    if (isTextChanged && !(meant.intent() instanceof Intent.Amend)) {
      assertThat(is.intent())
          .as("words: %s", spoiled)
          .isInstanceOfAny(Intent.Say.class, Intent.Start.class, Intent.Help.class);
    } else if (!onlySays(is.intent())) {
      assertThat(is.intent().getClass())
          .as("what: %s", spoiled)
          .isEqualTo(meant.intent().getClass());
    }
    if (is.intent() instanceof Intent.Amend(var message, var now)
        && meant.intent() instanceof Intent.Amend(var meantMessage, var meantNow)) {
      assertThat(message).as("which message: %s", spoiled).isEqualTo(meantMessage);
      if (!spoiled.containsValue(Fault.EMPTY_TEXT)) {
        assertThat(now.isEmpty()).as("taken back: %s", spoiled).isEqualTo(meantNow.isEmpty());
      }
    }
  }

  /// No run is started, told or stopped by it.
  private static boolean onlySays(Intent intent) {
    return intent instanceof Intent.Help
        || intent instanceof Intent.Unclear
        || intent instanceof Intent.Status
        || intent instanceof Intent.ListRuns;
  }

  /// A body whose fields can be spoiled: JSON, JSON in a form, or a form.
  ///
  /// @param form whether `json` is a form, by name
  private record Body(ObjectNode json, boolean form, boolean inForm) {
    static Body of(String fixture) throws Exception {
      var body = SlackRequests.body(SlackRequests.golden(fixture));
      if (body.startsWith("{")) {
        return new Body((ObjectNode) JSON.readTree(body), false, false);
      }
      if (body.startsWith("payload=")) {
        return new Body(
            (ObjectNode) JSON.readTree(decoded(body.substring("payload=".length()))), false, true);
      }
      var fields = NODES.objectNode();
      for (var pair : body.split("&", -1)) {
        var parts = pair.split("=", 2);
        fields.put(parts[0], decoded(parts[1]));
      }
      return new Body(fields, true, false);
    }

    List<String> fields() {
      List<String> fields = new ArrayList<>();
      collect("", json, fields);
      return fields;
    }

    List<Fault> faults() {
      return Stream.of(Fault.values()).filter(it -> !form || !it.isForJson()).toList();
    }

    String text() {
      return with(Map.of());
    }

    /// The deepest first: what is inside a spoiled field is gone with it.
    String with(Map<String, Fault> spoiled) {
      var copy = json.deepCopy();
      new TreeMap<>(spoiled)
          .descendingMap()
          .forEach((pointer, fault) -> spoil(copy, pointer, fault.value()));
      if (form) {
        return copy.properties().stream()
            .map(it -> it.getKey() + "=" + encoded(asText(it.getValue())))
            .collect(Collectors.joining("&"));
      }
      return inForm ? "payload=" + encoded(copy.toString()) : copy.toString();
    }

    private static void spoil(ObjectNode whole, String pointer, Optional<JsonNode> value) {
      var last = pointer.substring(pointer.lastIndexOf('/') + 1);
      var holder = whole.at(pointer.substring(0, pointer.lastIndexOf('/')));
      if (holder instanceof ObjectNode object) {
        value.ifPresentOrElse(it -> object.set(last, it), () -> object.remove(last));
      } else if (holder instanceof ArrayNode array) {
        value.ifPresentOrElse(
            it -> array.set(Integer.parseInt(last), it),
            () -> array.remove(Integer.parseInt(last)));
      }
    }

    private static String asText(JsonNode value) {
      return value.isTextual() ? value.textValue() : value.toString();
    }

    private static void collect(String path, JsonNode node, List<String> fields) {
      if (!path.isEmpty()) {
        fields.add(path);
      }
      node.properties().forEach(it -> collect(path + "/" + it.getKey(), it.getValue(), fields));
      if (node.isArray()) {
        for (var i = 0; i < node.size(); i++) {
          collect(path + "/" + i, node.get(i), fields);
        }
      }
    }

    private static String decoded(String text) {
      return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String encoded(String text) {
      return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
  }
}
