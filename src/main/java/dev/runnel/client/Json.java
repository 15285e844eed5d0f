package dev.runnel.client;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.wire.Problem;
import java.io.IOException;
import java.util.Optional;
import okio.ByteString;
import org.jspecify.annotations.Nullable;

/// Reads and writes the wire's records: unknown members are ignored.
final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private Json() {}

  /// @return null where the JSON is `null`
  static <T> @Nullable T read(ByteString json, Class<T> type) throws IOException {
    return MAPPER.readValue(json.toByteArray(), type);
  }

  static ByteString write(Object value) {
    try {
      return ByteString.of(MAPPER.writeValueAsBytes(value));
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("The wire's records can all be written", impossible);
    }
  }

  /// The problem in an error's body; empty when there is none, as from a proxy.
  static Optional<Problem> problem(ByteString body) {
    try {
      var problem = read(body, Problem.class);
      return Optional.ofNullable(problem).filter(Json::saysSomething);
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
}
