package dev.runnel.client;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.wire.Problem;
import java.io.IOException;
import java.util.Optional;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// Reads and writes the wire's records. Reading is lenient: a member that nobody can read counts
/// as absent, so that one odd member does not hide a whole list. Strict reading refuses it.
final class Json {
  private static final JsonMapper STRICT =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final JsonMapper LENIENT = STRICT.rebuild().addHandler(new Absent()).build();

  private Json() {}

  /// @return null where the JSON is `null`
  static <T> @Nullable T read(ByteString json, Class<T> type, boolean strict) throws IOException {
    return (strict ? STRICT : LENIENT).readValue(json.toByteArray(), type);
  }

  static <T> @Nullable T read(JsonNode json, Class<T> type, boolean strict) throws IOException {
    return (strict ? STRICT : LENIENT).treeToValue(json, type);
  }

  static JsonNode tree(ByteString json) throws IOException {
    var tree = STRICT.readTree(json.toByteArray());
    if (tree.isMissingNode()) {
      throw new IOException("Nothing to read");
    }
    return tree;
  }

  static JsonNode tree(Object value) {
    return STRICT.valueToTree(value);
  }

  static ObjectNode object() {
    return STRICT.createObjectNode();
  }

  static ByteString write(JsonNode json) {
    return ByteString.encodeUtf8(json.toString());
  }

  /// The problem in an error's body; empty when there is none, as from a proxy.
  static Optional<Problem> problem(ByteString body) {
    try {
      return Optional.ofNullable(read(body, Problem.class, false)).filter(Json::saysSomething);
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  private static boolean saysSomething(Problem problem) {
    return problem.type() != null
        || problem.title() != null
        || problem.error() != null
        || problem.detail() != null;
  }

  /// Takes what cannot be read for absent.
  private static final class Absent extends DeserializationProblemHandler {
    @Override
    public @Nullable Object handleWeirdStringValue(
        DeserializationContext context, Class<?> type, String value, String why) {
      return null;
    }

    @Override
    public @Nullable Object handleWeirdNumberValue(
        DeserializationContext context, Class<?> type, Number value, String why) {
      return null;
    }

    @Override
    public @Nullable Object handleUnexpectedToken(
        DeserializationContext context,
        JavaType type,
        JsonToken token,
        JsonParser parser,
        String why)
        throws IOException {
      parser.skipChildren();
      return null;
    }

    @Override
    public @Nullable Object handleMissingInstantiator(
        DeserializationContext context,
        Class<?> type,
        ValueInstantiator instantiator,
        JsonParser parser,
        String why)
        throws IOException {
      parser.skipChildren();
      return null;
    }
  }
}
