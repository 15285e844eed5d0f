package dev.runnel.service.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A published part of the interface that this service does not have.
///
/// @param template below `/api/v1`; `{name}` is one segment, and `/**` at the end is anything below
/// @param why told to callers
public record UnservedPath(String template, String why) {
  private static final String HOSTED =
      "This part of the interface belongs to the hosted product; this service does not provide it";

  public static final List<UnservedPath> ALL =
      Stream.of(
              hosted("/factory-inbox"),
              hosted("/factory-files"),
              hosted("/factory/scorers"),
              hosted("/factory/{uid}/scorers"),
              hosted("/factory/{uid}/benchmarks"),
              hosted("/factory/{uid}/metrics"),
              hosted("/factory/{uid}/costs"),
              hosted("/factory/{uid}/pull-requests"),
              part(
                  "/factory/{uid}/tasks",
                  "This service does not keep tasks of factories; list the runs of one with"
                      + " GET /agent/runs?factory_uid="),
              one(
                  "/factory/{uid}/task-by-run",
                  "This service does not keep tasks of factories; a run names its root_run_id and"
                      + " its ticket"),
              one(
                  "/factory/{uid}/task-by-conversation",
                  "This service does not keep tasks of factories; read"
                      + " GET /agent/conversations/{id}"),
              part(
                  "/agent/runs/{id}/attachments",
                  "This service does not take files in follow-ups; send text, or give pictures with"
                      + " a new run"),
              part(
                  "/agent/conversations/{id}/attachments",
                  "This service does not take files in follow-ups; send text, or give pictures with"
                      + " a new run"),
              part(
                  "/agent/conversations/{id}/screenshots",
                  "This service does not make screenshots: its agents have no desktop"),
              part(
                  "/agent/messages",
                  "This service does not pass messages between runs; send a follow-up"),
              part(
                  "/agent/events",
                  "This service does not publish events; list the runs that changed, with"
                      + " updated_after"),
              part(
                  "/networking",
                  "This service does not know the addresses of its machine; ask its operator"))
          .flatMap(it -> it)
          .toList();

  private static final Pattern NAME = Pattern.compile("\\{\\w+}");

  /// The part to which a path belongs.
  static Optional<UnservedPath> of(String path) {
    return ALL.stream().filter(it -> it.matches(path)).findFirst();
  }

  private boolean matches(String path) {
    var below = template.endsWith("/**");
    var parts = (below ? template.substring(0, template.length() - 3) : template).split("/", -1);
    var given = path.split("/", -1);
    if (below ? given.length <= parts.length : given.length != parts.length) {
      return false;
    }
    for (var i = 0; i < parts.length; i++) {
      if (!parts[i].equals(given[i]) && (!NAME.matcher(parts[i]).matches() || given[i].isEmpty())) {
        return false;
      }
    }
    return true;
  }

  /// The rows of the page's table.
  static String table() {
    return "\n| path | the answer, 404 |\n|---|---|\n"
        + ALL.stream()
            .filter(it -> !it.template.endsWith("/**"))
            .map(it -> "| `%s` | %s |\n".formatted(it.template, it.why))
            .collect(Collectors.joining())
        + "\n";
  }

  private static Stream<UnservedPath> hosted(String template) {
    return part(template, HOSTED);
  }

  private static Stream<UnservedPath> one(String template, String why) {
    return Stream.of(new UnservedPath(template, why));
  }

  /// The path, and everything below it.
  private static Stream<UnservedPath> part(String template, String why) {
    return Stream.of(new UnservedPath(template, why), new UnservedPath(template + "/**", why));
  }
}
