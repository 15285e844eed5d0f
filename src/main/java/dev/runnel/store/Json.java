package dev.runnel.store;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Update;

/// The core's records as JSON text. Rows outlive versions: what a newer version added is
/// ignored, and
/// what an older one did not write is empty.
final class Json {
  /// The sealed families carry their case by its simple name, so that packages may move.
  @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "is")
  private interface Family {}

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModules(new Jdk8Module(), new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .visibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
          .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
          .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
          .addMixIn(Intent.class, Family.class)
          .addMixIn(Update.class, Family.class)
          .addMixIn(Question.class, Family.class)
          .addMixIn(Screen.class, Family.class)
          .build();

  static {
    MAPPER.registerSubtypes(Intent.class.getPermittedSubclasses());
    MAPPER.registerSubtypes(Update.class.getPermittedSubclasses());
    MAPPER.registerSubtypes(Question.class.getPermittedSubclasses());
    MAPPER.registerSubtypes(Screen.class.getPermittedSubclasses());
  }

  private Json() {}

  static String write(Object record) {
    try {
      return MAPPER.writeValueAsString(record);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write a " + record.getClass().getSimpleName(), e);
    }
  }

  /// A row that a newer version wrote, or that is damaged.
  static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// @param cause its own words would quote the row
    private Unreadable(Class<?> type, String cause) {
      super("Cannot read a stored %s: %s".formatted(type.getSimpleName(), cause));
    }
  }

  /// @throws Unreadable when the text is not one of that type
  static <T> T read(String json, Class<T> type) {
    T value;
    try {
      value = MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new Unreadable(type, e.getClass().getSimpleName());
    }
    if (value == null) {
      throw new Unreadable(type, "there is nothing");
    }
    return value;
  }
}
