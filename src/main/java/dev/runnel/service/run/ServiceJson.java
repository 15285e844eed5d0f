package dev.runnel.service.run;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.type.LogicalType;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.json.BoundedJson;
import dev.runnel.json.Projection;
import dev.runnel.json.RefusedJsonException;
import dev.runnel.memory.Lease;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/// The service's JSON mapping: strict about types and duplicates on input, unknown members ignored.
/// What callers send is read with limits; what the service stored is not.
public final class ServiceJson {
  private static final ObjectMapper MAPPER = mapper();

  private ServiceJson() {}

  /// Reads a short text that a caller sent.
  ///
  /// @throws RequestProblem if it is not exactly one JSON object
  public static ObjectNode body(byte[] body) {
    try {
      return BoundedJson.object(body, Projection.ALL);
    } catch (RefusedJsonException refused) {
      throw problem(refused);
    }
  }

  /// Reads a body while it arrives.
  ///
  /// @param maxBytes of the body without files
  /// @param lease of bytes for the body as objects; it grows if they are too few
  /// @throws RequestProblem if the body is not exactly one JSON object, or if the share of the
  ///   lease is spent
  /// @throws IOException if the body does not arrive
  public static ObjectNode body(InputStream body, long maxBytes, Projection projection, Lease lease)
      throws IOException {
    try {
      return BoundedJson.object(body, maxBytes, projection, lease);
    } catch (RefusedJsonException refused) {
      throw problem(refused);
    }
  }

  private static RequestProblem problem(RefusedJsonException refused) {
    return refused.isForNow()
        ? RequestProblem.overloaded()
        : RequestProblem.invalid("The body must be one JSON object. " + refused.why());
  }

  /// @throws RequestProblem if a member has the wrong type
  public static <T> T convert(JsonNode node, Class<T> type) {
    try {
      return MAPPER.treeToValue(node, type);
    } catch (JsonProcessingException e) {
      throw RequestProblem.invalid("A member of the body has the wrong type" + memberPath(e));
    }
  }

  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(
          "Cannot be written as JSON: " + value.getClass().getName(), e);
    }
  }

  /// Writes incrementally, so that the whole document is never in memory.
  public static JsonGenerator writer(OutputStream out) throws IOException {
    return MAPPER.createGenerator(out);
  }

  public static ObjectNode object(Object value) {
    return MAPPER.valueToTree(value);
  }

  public static ObjectNode newObject() {
    return MAPPER.createObjectNode();
  }

  /// Parses the output of an earlier [#write].
  public static JsonNode read(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The stored text is not JSON", e);
    }
  }

  /// Parses a list that an earlier [#write] wrote.
  public static <T> List<T> readList(String json, Class<T> type) {
    try {
      return MAPPER.readerForListOf(type).readValue(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("The stored text is not JSON", e);
    }
  }

  /// The names of a type's members.
  static Set<String> members(Class<?> type) {
    return MAPPER
        .getSerializationConfig()
        .introspect(MAPPER.constructType(type))
        .findProperties()
        .stream()
        .map(BeanPropertyDefinition::getName)
        .collect(Collectors.toSet());
  }

  private static String memberPath(JsonProcessingException e) {
    if (e instanceof JsonMappingException mapping) {
      var path = new StringBuilder();
      for (var step : mapping.getPath()) {
        if (step.getFieldName() != null) {
          path.append(path.isEmpty() ? "" : ".").append(step.getFieldName());
        }
      }
      return path.isEmpty() ? "" : ": " + path;
    }
    return "";
  }

  private static ObjectMapper mapper() {
    var mapper =
        JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
            .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS);
    mapper.withCoercionConfig(
        LogicalType.Textual,
        config -> {
          for (var shape :
              List.of(
                  CoercionInputShape.Integer,
                  CoercionInputShape.Float,
                  CoercionInputShape.Boolean)) {
            config.setCoercion(shape, CoercionAction.Fail);
          }
        });
    return mapper.build();
  }
}
