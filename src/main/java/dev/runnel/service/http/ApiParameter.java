package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;
import java.util.List;

/// A parameter of a call, as OpenAPI describes it.
///
/// @param place `path`, `query` or `header`
/// @param description empty for none
/// @param type a type of JSON Schema; `date-time` for a time
/// @param choices the permitted values; empty for any
/// @param shape whether it can be repeated, or is a map
record ApiParameter(
    String place,
    String name,
    String description,
    String type,
    List<String> choices,
    Shape shape,
    boolean isRequired) {
  enum Shape {
    ONE,
    MANY,
    PAIRS
  }

  private static ApiParameter query(String name, String description, String type) {
    return new ApiParameter("query", name, description, type, List.of(), Shape.ONE, false);
  }

  static ApiParameter inPath(String name) {
    return new ApiParameter("path", name, "", "string", List.of(), Shape.ONE, true);
  }

  static ApiParameter header(String name, String description) {
    return new ApiParameter("header", name, description, "string", List.of(), Shape.ONE, false);
  }

  static ApiParameter required(String name) {
    return new ApiParameter("query", name, "", "string", List.of(), Shape.ONE, true);
  }

  static ApiParameter one(String name, String description) {
    return query(name, description, "string");
  }

  static ApiParameter integer(String name, String description) {
    return query(name, description, "integer");
  }

  static ApiParameter flag(String name) {
    return query(name, "", "boolean");
  }

  static ApiParameter time(String name) {
    return query(name, "", "date-time");
  }

  /// @param choices the first is the default
  static ApiParameter choice(String name, String... choices) {
    return new ApiParameter("query", name, "", "string", List.of(choices), Shape.ONE, false);
  }

  /// A filter for one of several values.
  static ApiParameter many(String name, String... choices) {
    return new ApiParameter("query", name, "", "string", List.of(choices), Shape.MANY, false);
  }

  /// `name[KEY]=VALUE`, any number of times.
  static ApiParameter pairs(String name, String description) {
    return new ApiParameter("query", name, description, "string", List.of(), Shape.PAIRS, false);
  }

  ObjectNode json() {
    var json = ServiceJson.newObject();
    json.put("name", name).put("in", place).put("required", isRequired);
    if (!description.isEmpty()) {
      json.put("description", description);
    }
    if (shape == Shape.PAIRS) {
      json.put("style", "deepObject").put("explode", true);
    }
    var schema = json.putObject("schema");
    switch (shape) {
      case ONE -> describe(schema);
      case MANY -> describe(schema.put("type", "array").putObject("items"));
      case PAIRS -> describe(schema.put("type", "object").putObject("additionalProperties"));
    }
    return json;
  }

  private void describe(ObjectNode schema) {
    if (type.equals("date-time")) {
      schema.put("type", "string").put("format", type);
    } else {
      schema.put("type", type);
    }
    if (!choices.isEmpty()) {
      choices.forEach(schema.putArray("enum")::add);
    }
  }
}
