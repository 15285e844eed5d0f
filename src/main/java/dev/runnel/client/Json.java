package dev.runnel.client;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.InputCoercionException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.wire.Problem;
import java.io.IOException;
import java.util.Optional;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// Reads and writes wire records. Lenient reading treats a member that cannot be parsed as absent,
/// so that one bad member does not hide a whole list. Strict reading rejects it.
final class Json {
  private static final JsonMapper BASE =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final JsonMapper STRICT =
      BASE.rebuild()
          .withCoercionConfig(
              LogicalType.Textual,
              text ->
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .build();
  private static final JsonMapper LENIENT =
      BASE.rebuild()
          .addHandler(new Absent())
          .defaultSetterInfo(JsonSetter.Value.forContentNulls(Nulls.SKIP))
          .addModule(
              new SimpleModule()
                  .addDeserializer(Integer.class, new FittingInteger())
                  .addDeserializer(Long.class, new FittingLong()))
          .build();

  private Json() {}

  /// @return null if the JSON is `null`
  static <T> @Nullable T read(ByteString json, Class<T> type, boolean strict) throws IOException {
    return (strict ? STRICT : LENIENT).readValue(json.toByteArray(), type);
  }

  static <T> @Nullable T read(JsonNode json, Class<T> type, boolean strict) throws IOException {
    return (strict ? STRICT : LENIENT).treeToValue(json, type);
  }

  static JsonNode tree(ByteString json) throws IOException {
    var tree = BASE.readTree(json.toByteArray());
    if (tree.isMissingNode()) {
      throw new IOException("The body is empty");
    }
    return tree;
  }

  static JsonNode tree(Object value) {
    return BASE.valueToTree(value);
  }

  static ObjectNode object() {
    return BASE.createObjectNode();
  }

  static ByteString write(JsonNode json) {
    return ByteString.encodeUtf8(json.toString());
  }

  /// The problem in the body of an error; empty if there is none, as in a proxy's response.
  static Optional<Problem> problem(ByteString body) {
    try {
      return Optional.ofNullable(read(body, Problem.class, false)).filter(Json::hasContent);
    } catch (IOException unreadable) {
      return Optional.empty();
    }
  }

  private static boolean hasContent(Problem problem) {
    return problem.type() != null
        || problem.title() != null
        || problem.error() != null
        || problem.detail() != null;
  }

  /// Treats a number that is too large as absent.
  private static final class FittingInteger extends StdScalarDeserializer<Integer> {
    private static final long serialVersionUID = 1L;

    FittingInteger() {
      super(Integer.class);
    }

    @Override
    public @Nullable Integer deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      try {
        return _parseInteger(parser, context, Integer.class);
      } catch (InputCoercionException tooLarge) {
        return null;
      }
    }
  }

  /// Treats a number that is too large as absent.
  private static final class FittingLong extends StdScalarDeserializer<Long> {
    private static final long serialVersionUID = 1L;

    FittingLong() {
      super(Long.class);
    }

    @Override
    public @Nullable Long deserialize(JsonParser parser, DeserializationContext context)
        throws IOException {
      try {
        return _parseLong(parser, context, Long.class);
      } catch (InputCoercionException tooLarge) {
        return null;
      }
    }
  }

  /// Treats values that cannot be parsed as absent.
  private static final class Absent extends DeserializationProblemHandler {
    @Override
    public @Nullable Object handleWeirdStringValue(
        DeserializationContext context, Class<?> type, String value, String why) {
      return absent(type);
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
      return absent(type.getRawClass());
    }

    @Override
    public @Nullable Object handleMissingInstantiator(
        DeserializationContext context,
        Class<?> type,
        ValueInstantiator instantiator,
        JsonParser parser,
        String why)
        throws IOException {
      // The start of the object may have been consumed already; then its members must be skipped.
      for (var token = parser.currentToken();
          token == JsonToken.FIELD_NAME;
          token = parser.nextToken()) {
        parser.nextToken();
        parser.skipChildren();
      }
      parser.skipChildren();
      return null;
    }

    /// The value of a record component whose member is missing.
    private static @Nullable Object absent(Class<?> type) {
      return type == boolean.class ? false : null;
    }
  }
}
