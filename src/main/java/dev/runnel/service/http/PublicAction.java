package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.ActionCategory;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// An agent's action under its published name, since each agent has its own names for tools.
///
/// @param name `run_command`, `edit_files`, …
/// @param input the tool's input, shortened
record PublicAction(String name, ActionCategory category, ObjectNode input) {
  /// Tools with the same purpose.
  ///
  /// @param member name of the member that contains the input
  private record Kind(String name, ActionCategory category, String member, List<String> tools) {}

  private static final List<Kind> KINDS =
      List.of(
          new Kind(
              "run_command",
              ActionCategory.COMMAND,
              "command",
              List.of("bash", "shell", "run_shell_command", "exec_command")),
          new Kind(
              "edit_files",
              ActionCategory.FILES,
              "path",
              List.of(
                  "edit",
                  "multiedit",
                  "write",
                  "write_file",
                  "replace",
                  "notebookedit",
                  "apply_patch",
                  "patch",
                  "add",
                  "update",
                  "delete")),
          new Kind(
              "read_files",
              ActionCategory.FILES,
              "path",
              List.of("read", "read_file", "read_many_files", "ls", "list", "list_directory")),
          new Kind(
              "search_files",
              ActionCategory.SEARCH,
              "pattern",
              List.of("grep", "glob", "search_file_content")),
          new Kind(
              "search_web",
              ActionCategory.SEARCH,
              "query",
              List.of(
                  "websearch",
                  "webfetch",
                  "web_fetch",
                  "google_web_search",
                  // The only tool name of two words.
                  "web search")),
          new Kind(
              "edit_plan",
              ActionCategory.DOCUMENTS,
              "text",
              List.of("todowrite", "exitplanmode", "write_todos")),
          new Kind("use_skill", ActionCategory.SKILL, "skill", List.of("skill")));

  /// @param line the transcript line: the tool and its input
  static PublicAction of(String line) {
    var lowerCase = line.toLowerCase(Locale.ROOT);
    return KINDS.stream()
        .flatMap(kind -> kind.tools().stream().flatMap(tool -> of(kind, tool, lowerCase, line)))
        .findFirst()
        .orElseGet(() -> ofUnknownTool(line));
  }

  private static Stream<PublicAction> of(Kind kind, String tool, String lowerCase, String line) {
    if (!lowerCase.equals(tool) && !lowerCase.startsWith(tool + " ")) {
      return Stream.empty();
    }
    var input = ServiceJson.newObject();
    var text = line.substring(tool.length()).strip();
    if (!text.isEmpty()) {
      input.put(kind.member(), text);
    }
    return Stream.of(new PublicAction(kind.name(), kind.category(), input));
  }

  private static PublicAction ofUnknownTool(String line) {
    var space = line.indexOf(' ');
    var input = ServiceJson.newObject().put("tool", space < 0 ? line : line.substring(0, space));
    if (space > 0) {
      input.put("text", line.substring(space + 1));
    }
    return new PublicAction("call_tool", ActionCategory.INTEGRATION, input);
  }
}
