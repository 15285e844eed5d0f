package dev.runnel.wire;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.client.ClientJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The payloads of `golden/agent-run-api`, and what holds of each. All of them have members that no
/// record knows.
public final class Golden {
  private static final List<String> ODD =
      List.of("{\"odd\": [1]}", "[[\"odd\"]]", "\"odd\"", "987654321098765432109876543210");

  private Golden() {}

  public static String text(String name) throws IOException {
    var path = "/golden/agent-run-api/" + name + ".json";
    try (var file = requireNonNull(Golden.class.getResourceAsStream(path), path)) {
      return new String(file.readAllBytes(), UTF_8);
    }
  }

  /// @param name of the file; after a `#` may follow which part of it
  public static JsonNode tree(String name) throws IOException {
    var hash = name.indexOf('#');
    return hash < 0
        ? ClientJson.tree(text(name))
        : ClientJson.tree(text(name.substring(0, hash))).at(name.substring(hash + 1));
  }

  /// Strictly.
  public static <T> T read(String name, Class<T> type) throws IOException {
    return ClientJson.strict(tree(name), type);
  }

  /// Read and written again it is the same, unknown members and their nulls included.
  static void isLossless(String name, Class<?> type) throws IOException {
    assertThat(ClientJson.tree(read(name, type))).isEqualTo(tree(name));
  }

  /// No component of it, and of what is in it, was left null or empty.
  ///
  /// @param except paths of which this cannot be, with all below
  static void isFull(Record record, String... except) {
    var missing = new ArrayList<String>();
    collectMissing("", record, missing);
    missing.removeIf(path -> List.of(except).stream().anyMatch(path::startsWith));
    assertThat(missing).as("components that the payload leaves out").isEmpty();
  }

  /// Each member and each element, at any depth, in the wrong shape: strictly the whole is refused;
  /// leniently it is read as if that were not there. Where anything goes, it is kept.
  static void oddMembersCountAsAbsent(String name, Class<?> type) throws IOException {
    for (var pointer : pointers("", tree(name))) {
      for (var odd : ODD) {
        var value = ClientJson.tree(odd);
        var was = tree(name).at(pointer);
        var isSameShape =
            value.isNumber() ? !was.isIntegralNumber() : value.getNodeType() == was.getNodeType();
        if (isSameShape) {
          continue;
        }
        var with = changed(tree(name), pointer, value);
        var without = changed(tree(name), pointer, null);
        if (lenient(with, type).map(Golden::written).equals(Optional.of(with))) {
          continue;
        }
        assertThat(lenient(with, type))
            .as("%s = %s", pointer, odd)
            .isEqualTo(lenient(without, type));
        assertThatThrownBy(() -> ClientJson.strict(with, type))
            .as("%s = %s", pointer, odd)
            .isInstanceOf(IOException.class);
      }
    }
  }

  private static JsonNode written(Object value) {
    try {
      return ClientJson.tree(value);
    } catch (IOException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /// Empty where something needed is missing.
  private static Optional<Object> lenient(JsonNode json, Class<?> type) {
    try {
      return Optional.of(ClientJson.lenient(json, type));
    } catch (IOException refused) {
      return Optional.empty();
    }
  }

  private static List<String> pointers(String path, JsonNode json) {
    var all = new ArrayList<String>();
    if (json instanceof ObjectNode object) {
      for (var member : object.properties()) {
        var pointer = path + "/" + member.getKey();
        all.add(pointer);
        all.addAll(pointers(pointer, member.getValue()));
      }
    }
    if (json instanceof ArrayNode array) {
      for (int i = 0; i < array.size(); i++) {
        all.add(path + "/" + i);
        all.addAll(pointers(path + "/" + i, array.path(i)));
      }
    }
    return all;
  }

  /// @param value null to take it away
  private static JsonNode changed(JsonNode json, String pointer, @Nullable JsonNode value) {
    var slash = pointer.lastIndexOf('/');
    var last = pointer.substring(slash + 1);
    var parent = json.at(pointer.substring(0, slash));
    if (parent instanceof ArrayNode array) {
      if (value == null) {
        array.remove(Integer.parseInt(last));
      } else {
        array.set(Integer.parseInt(last), value);
      }
    }
    if (parent instanceof ObjectNode object) {
      if (value == null) {
        object.remove(last);
      } else {
        object.set(last, value);
      }
    }
    return json;
  }

  private static void collectMissing(String path, @Nullable Object value, List<String> missing) {
    switch (value) {
      case null -> missing.add(path);
      case JsonNode _ -> {}
      case Collection<?> all when all.isEmpty() -> missing.add(path);
      case Map<?, ?> all when all.isEmpty() -> missing.add(path);
      case Collection<?> all -> all.forEach(it -> collectMissing(path + "[]", it, missing));
      case Map<?, ?> all -> all.forEach((key, it) -> collectMissing(path + "." + key, it, missing));
      case Record record -> {
        for (var component : record.getClass().getRecordComponents()) {
          if (component.getName().equals("more") && !path.isEmpty()) {
            continue;
          }
          try {
            collectMissing(
                path.isEmpty() ? component.getName() : path + "." + component.getName(),
                component.getAccessor().invoke(record),
                missing);
          } catch (ReflectiveOperationException impossible) {
            throw new LinkageError(impossible.getMessage(), impossible);
          }
        }
      }
      default -> {}
    }
  }
}
