package dev.runnel.service.run;

import dev.runnel.wire.RunSource;
import dev.runnel.wire.UserInfo;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/// What caused a run, as its metadata tells: Runnel leaves there where a run was asked for, and by
/// whom; tickets have their address there.
public final class TriggerMetadata {
  private static final String SURFACE = "runnel.surface";
  private static final String PERSON = "runnel.person";

  /// By what Runnel calls the places where people talk to it.
  private static final Map<String, RunSource> SOURCES =
      Map.of(
          "slack", RunSource.SLACK,
          "github", RunSource.GITHUB_WEBHOOK,
          "gitlab", RunSource.GITLAB_WEBHOOK,
          "jira", RunSource.JIRA,
          "linear", RunSource.LINEAR,
          "gitea", RunSource.CUSTOM_WEBHOOK,
          "hooks", RunSource.CUSTOM_WEBHOOK,
          "console", RunSource.WEB_APP);

  private TriggerMetadata() {}

  public static RunSource source(Map<String, String> metadata) {
    return surface(metadata).map(SOURCES::get).orElse(RunSource.API);
  }

  /// The thread, the ticket or the page.
  public static Optional<String> url(Map<String, String> metadata) {
    return Stream.of("ticket_url", "runnel.link")
        .flatMap(name -> Optional.ofNullable(metadata.get(name)).stream())
        .filter(url -> url.startsWith("https://") || url.startsWith("http://"))
        .findFirst();
  }

  /// Who asked.
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

  /// Work for a factory carries no metadata; its ticket is the delivery, which begins with its
  /// surface.
  private static Optional<String> surface(Map<String, String> metadata) {
    var given = Optional.ofNullable(metadata.get(SURFACE));
    return given.or(
        () ->
            "runnel".equals(metadata.get("ticket_source"))
                ? Optional.of(metadata.getOrDefault("ticket_id", "").replaceFirst(":.*", ""))
                : Optional.empty());
  }
}
