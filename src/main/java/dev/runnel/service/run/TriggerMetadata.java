package dev.runnel.service.run;

import dev.runnel.wire.RunSource;
import dev.runnel.wire.UserInfo;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// Reads from a run's metadata what triggered the run: where and by whom it was requested, as
/// Runnel stores it, and the URL of its ticket.
public final class TriggerMetadata {
  /// Through what a run was started, if not through a surface.
  public static final String CLIENT = "runnel.client";

  /// The value of [#CLIENT] for runs that an MCP client started.
  public static final String MCP = "mcp";

  private static final String SURFACE = "runnel.surface";
  private static final String DELIVERY = "runnel.delivery";
  private static final String PERSON = "runnel.person";

  private TriggerMetadata() {}

  /// @param sources by the name of Runnel's surface
  public static RunSource source(Map<String, String> metadata, Map<String, RunSource> sources) {
    return surface(metadata).map(sources::get).orElse(RunSource.API);
  }

  /// Whether the run was requested in a thread, an issue or a page.
  public static boolean hasSurface(Map<String, String> metadata) {
    return surface(metadata).isPresent();
  }

  /// The URL of the thread, ticket or page.
  public static Optional<String> url(Map<String, String> metadata) {
    return Stream.of("ticket_url", "runnel.link")
        .flatMap(name -> Optional.ofNullable(metadata.get(name)).stream())
        .filter(url -> url.startsWith("https://") || url.startsWith("http://"))
        .findFirst();
  }

  /// The person who requested the run.
  public static Optional<UserInfo> person(Map<String, String> metadata) {
    return Optional.ofNullable(metadata.get(PERSON))
        .filter(id -> !id.isBlank())
        .map(
            id ->
                new UserInfo(
                    "user",
                    surface(metadata).map(surface -> surface + ":" + id).orElse(id),
                    metadata.getOrDefault(PERSON + "_name", id),
                    null,
                    null,
                    Map.of()));
  }

  /// Whether an entry with this name is written by Runnel's bot.
  public static boolean isOfRunnel(String name) {
    return name.startsWith("runnel.") || name.startsWith("ticket_");
  }

  /// The id of the delivery that requested the run.
  public static Optional<String> delivery(Map<String, String> metadata) {
    return Optional.ofNullable(metadata.get(DELIVERY))
        .or(
            () ->
                isTicketOfRunnel(metadata)
                    ? Optional.ofNullable(metadata.get("ticket_id"))
                    : Optional.empty());
  }

  private static boolean isTicketOfRunnel(Map<String, String> metadata) {
    return "runnel".equals(metadata.get("ticket_source"));
  }

  /// Work for a factory has no surface in its metadata; its ticket id is the delivery id, which
  /// begins with the surface.
  private static Optional<String> surface(Map<String, String> metadata) {
    var given = Optional.ofNullable(metadata.get(SURFACE));
    return given.or(
        () ->
            isTicketOfRunnel(metadata)
                ? Optional.of(metadata.getOrDefault("ticket_id", "").replaceFirst(":.*", ""))
                : Optional.empty());
  }
}
