package dev.runnel.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Spoils a payload, one member at a time: taken away, and of each strange kind.
public final class Spoiled {
  private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
  private static final List<JsonNode> STRANGE =
      List.of(
          JSON.nullNode(),
          JSON.booleanNode(true),
          JSON.numberNode(-1),
          JSON.numberNode(Long.MAX_VALUE),
          JSON.textNode(""),
          JSON.textNode(" \u0000\uD800 "),
          JSON.textNode("../../etc#1"),
          JSON.arrayNode().add(1),
          JSON.objectNode().put("name", "agent"));

  private Spoiled() {}

  /// @return how many members there were
  public static int everyMember(ObjectNode payload, Consumer<ObjectNode> look) {
    var paths = new ArrayList<String>();
    collect("", payload, paths);
    for (var path : paths) {
      var last = path.substring(path.lastIndexOf('/') + 1);
      var without = payload.deepCopy();
      ((ObjectNode) without.at(path.substring(0, path.lastIndexOf('/')))).remove(last);
      look.accept(without);
      for (var value : STRANGE) {
        var with = payload.deepCopy();
        ((ObjectNode) with.at(path.substring(0, path.lastIndexOf('/')))).set(last, value);
        look.accept(with);
      }
    }
    return paths.size();
  }

  private static void collect(String path, JsonNode node, List<String> paths) {
    for (var member : node.properties()) {
      paths.add(path + "/" + member.getKey());
      collect(path + "/" + member.getKey(), member.getValue(), paths);
    }
  }
}
