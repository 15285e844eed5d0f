package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.ServiceJson;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/// A tool of the MCP server. Its schema is derived from its parameters, and the arguments of a
/// client are checked against them.
///
/// @param description description for the model
/// @param effect what it does to runs
record McpTool(
    String name, String description, Effect effect, List<Parameter> parameters, Action action) {
  enum Effect {
    READS,
    WRITES,
    /// Ends work, which cannot be undone.
    DESTROYS
  }

  /// @param values the permitted values; empty for any
  /// @param max the maximum of a number, whose minimum is 0; -1 for a string
  record Parameter(
      String name, String description, boolean required, List<String> values, int max) {
    static Parameter text(String name, String description) {
      return new Parameter(name, description, false, List.of(), -1);
    }

    static Parameter number(String name, String description, int max) {
      return new Parameter(name, description, false, List.of(), max);
    }

    Parameter oneOf(List<String> permitted) {
      return new Parameter(name, description, required, permitted, max);
    }

    Parameter asRequired() {
      return new Parameter(name, description, true, values, max);
    }

    private boolean isText() {
      return max < 0;
    }

    private ObjectNode schema() {
      var schema =
          ServiceJson.newObject()
              .put("type", isText() ? "string" : "integer")
              .put("description", description);
      if (!isText()) {
        schema.put("minimum", 0).put("maximum", max);
      }
      if (!values.isEmpty()) {
        values.forEach(schema.putArray("enum")::add);
      }
      return schema;
    }

    private void check(ObjectNode arguments) {
      var value = arguments.path(name);
      if (value.isMissingNode() || value.isNull()) {
        if (required) {
          throw RequestProblem.invalid("The argument " + name + " is missing");
        }
      } else if (isText() && !value.isTextual()) {
        throw RequestProblem.invalid("The argument " + name + " must be a string");
      } else if (!isText()
          && !(value.canConvertToInt()
              && value.isIntegralNumber()
              && value.intValue() >= 0
              && value.intValue() <= max)) {
        throw RequestProblem.invalid(
            "The argument " + name + " must be a whole number from 0 to " + max);
      } else if (!values.isEmpty() && !values.contains(value.asText())) {
        throw RequestProblem.invalid(
            "The argument " + name + " must be one of " + String.join(", ", values));
      }
    }
  }

  /// Handles checked arguments, and returns the text for the model.
  @FunctionalInterface
  interface Action {
    String handle(Caller caller, Arguments arguments) throws InterruptedException;
  }

  /// The checked arguments of a call.
  record Arguments(ObjectNode json) {
    /// Empty if it is missing or blank.
    Optional<String> text(String name) {
      return Optional.of(json.path(name).asText("")).filter(text -> !text.isBlank());
    }

    int number(String name, int defaultValue) {
      return json.path(name).asInt(defaultValue);
    }
  }

  /// The tool as JSON for `tools/list`.
  ObjectNode show() {
    var tool = ServiceJson.newObject().put("name", name).put("description", description);
    tool.putObject("annotations")
        .put("readOnlyHint", effect == Effect.READS)
        .put("destructiveHint", effect == Effect.DESTROYS);
    var schema = tool.putObject("inputSchema").put("type", "object");
    var properties = schema.putObject("properties");
    var required = schema.putArray("required");
    for (var parameter : parameters) {
      properties.set(parameter.name(), parameter.schema());
      if (parameter.required()) {
        required.add(parameter.name());
      }
    }
    schema.put("additionalProperties", false);
    return tool;
  }

  /// @throws RequestProblem if the arguments do not match the schema, or the call fails
  String call(Caller caller, ObjectNode arguments) throws InterruptedException {
    arguments
        .fieldNames()
        .forEachRemaining(
            given -> {
              if (parameters.stream().noneMatch(it -> it.name().equals(given))) {
                throw RequestProblem.invalid(
                    "%s has no argument %s. It takes %s"
                        .formatted(
                            name,
                            given,
                            parameters.stream()
                                .map(Parameter::name)
                                .collect(Collectors.joining(", "))));
              }
            });
    parameters.forEach(parameter -> parameter.check(arguments));
    return action.handle(caller, new Arguments(arguments));
  }
}
