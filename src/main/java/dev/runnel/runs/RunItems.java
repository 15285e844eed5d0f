package dev.runnel.runs;

import dev.runnel.core.model.Artifact;
import dev.runnel.core.model.DeliveryId;
import dev.runnel.core.model.Run;
import dev.runnel.core.model.RunId;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.StatusMessage;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The wire's runs as the core's. What is missing or malformed in a run is left out of it: a run
/// with a bad link is still a run.
final class RunItems {
  /// The metadata key that carries the delivery a run was started by.
  static final String DELIVERY = "runnel.delivery";

  private static final Pattern NUMBER_IN_PULL_REQUEST =
      Pattern.compile("/(?:pull|pulls|merge_requests|pull-requests)/(\\d+)(?:[/?#].*)?$");

  private RunItems() {}

  static Run run(RunItem item) {
    var status = Optional.ofNullable(item.statusMessage());
    return new Run(
        new RunId(item.runId()),
        Objects.requireNonNullElse(item.title(), ""),
        RunStates.of(item.state()),
        item.state().value(),
        status.map(StatusMessage::message).filter(message -> !message.isBlank()),
        status.map(StatusMessage::retryable).orElse(false),
        link(item.sessionLink()),
        item.artifacts().stream().flatMap(it -> artifact(it).stream()).toList(),
        Costs.total(item.requestUsage()),
        duration(item.runTime()),
        Optional.ofNullable(item.updatedAt()),
        delivery(item));
  }

  static Optional<DeliveryId> delivery(RunItem item) {
    return Optional.ofNullable(item.metadata().get(DELIVERY))
        .filter(id -> !id.isBlank() && id.length() <= DeliveryId.MAX_LENGTH)
        .map(DeliveryId::new);
  }

  /// A link people can open; empty for anything else than http and https.
  static Optional<URI> link(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      var uri = new URI(text);
      var isWeb =
          "https".equalsIgnoreCase(uri.getScheme()) || "http".equalsIgnoreCase(uri.getScheme());
      return isWeb && uri.getHost() != null ? Optional.of(uri) : Optional.empty();
    } catch (URISyntaxException malformed) {
      return Optional.empty();
    }
  }

  private static Optional<Artifact> artifact(ArtifactItem item) {
    return switch (item) {
      case ArtifactItem.PullRequest request ->
          link(request.url()).map(link -> new Artifact(pullRequest(request, link), link, true));
      case ArtifactItem.Plan plan ->
          link(plan.url())
              .map(
                  link ->
                      new Artifact(
                          text(plan.title()).map(it -> "Plan (" + it + ")").orElse("Plan"),
                          link,
                          false));
      case ArtifactItem.ExternalReference reference ->
          link(reference.url())
              .map(
                  link ->
                      new Artifact(
                          text(reference.title())
                              .or(() -> text(reference.referenceType()))
                              .orElse("Link"),
                          link,
                          false));
      case ArtifactItem.Screenshot _, ArtifactItem.File _, ArtifactItem.Unknown _ ->
          Optional.empty();
    };
  }

  private static String pullRequest(ArtifactItem.PullRequest request, URI link) {
    var branch = text(request.branch());
    if (branch.isPresent()) {
      return "Pull request (" + branch.get() + ")";
    }
    var number = NUMBER_IN_PULL_REQUEST.matcher(link.toString());
    return number.find() ? "Pull request #" + number.group(1) : "Pull request";
  }

  private static Optional<String> text(@Nullable String text) {
    return Optional.ofNullable(text).filter(it -> !it.isBlank());
  }

  private static Optional<Duration> duration(@Nullable String text) {
    if (text == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(Duration.parse(text)).filter(time -> !time.isNegative());
    } catch (DateTimeParseException malformed) {
      return Optional.empty();
    }
  }
}
