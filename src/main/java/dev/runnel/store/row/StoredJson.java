package dev.runnel.store.row;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.annotation.PropertyAccessor;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.Question;
import dev.runnel.core.model.Screen;
import dev.runnel.core.model.Timing;
import dev.runnel.core.model.Update;
import java.util.List;
import java.util.stream.Stream;

/// Serializes the core's records as JSON text, without empty optional fields, which are a quarter
/// of a delivery. Rows are read by other versions: fields added by a newer version are ignored, and
/// missing fields are empty.
public final class StoredJson {
  /// Sealed types are stored with the simple name of their case, so that packages may change.
  @JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "is")
  private interface Family {}

  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModules(new Jdk8Module(), new JavaTimeModule())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.ALWAYS))
          .visibility(PropertyAccessor.GETTER, JsonAutoDetect.Visibility.NONE)
          .visibility(PropertyAccessor.IS_GETTER, JsonAutoDetect.Visibility.NONE)
          .visibility(PropertyAccessor.FIELD, JsonAutoDetect.Visibility.ANY)
          .addMixIn(Intent.class, Family.class)
          .addMixIn(Update.class, Family.class)
          .addMixIn(Question.class, Family.class)
          .addMixIn(Screen.class, Family.class)
          .addMixIn(Timing.class, Family.class)
          .build();

  static {
    for (var family :
        List.of(Intent.class, Update.class, Question.class, Screen.class, Timing.class)) {
      cases(family).forEach(MAPPER::registerSubtypes);
    }
    // The name of this case in stored rows.
    MAPPER.registerSubtypes(new NamedType(Update.Message.class, "Told"));
  }

  private static Stream<Class<?>> cases(Class<?> type) {
    return type.isSealed()
        ? Stream.of(type.getPermittedSubclasses()).flatMap(StoredJson::cases)
        : Stream.of(type);
  }

  private StoredJson() {}

  public static String write(Object record) {
    try {
      return MAPPER.writeValueAsString(record);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Cannot write a " + record.getClass().getSimpleName(), e);
    }
  }

  /// A row cannot be read: a newer version wrote it, or it is damaged.
  public static final class Unreadable extends RuntimeException {
    private static final long serialVersionUID = 1;

    /// @param cause the exception's class name, because its message would quote the row
    private Unreadable(Class<?> type, String cause) {
      super("Cannot read a stored %s: %s".formatted(type.getSimpleName(), cause));
    }
  }

  /// @throws Unreadable if the text is not valid JSON of that type
  public static <T> T read(String json, Class<T> type) {
    T value;
    try {
      value = MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new Unreadable(type, e.getClass().getSimpleName());
    }
    if (value == null) {
      throw new Unreadable(type, "it is null");
    }
    return value;
  }
}
