package dev.runnel.runs;

import dev.runnel.client.ListRuns;
import dev.runnel.client.ListRuns.SortBy;
import dev.runnel.client.ListRuns.SortOrder;
import dev.runnel.client.RunsClient;
import dev.runnel.client.RunsException;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.wire.AgentConfig;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.HarnessType;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunSource;
import dev.runnel.wire.RunStateValue;
import java.net.URI;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/// The list of runs, over the client.
///
/// @param defaultAgent the display name of the agent that the service names `oz`: the embedded
///   service uses that name for each agent without a published name, such as a command
public record ClientRunCatalog(RunsClient client, String defaultAgent) implements RunCatalog {
  private static final String OZ = HarnessType.OZ.value();

  private static final int MAX_CHILDREN = 100;
  // Not SVG, which can hold scripts.
  private static final Set<String> IMAGES =
      Set.of("image/png", "image/jpeg", "image/gif", "image/webp");

  /// For a run service where `oz` is the agent of that name.
  public ClientRunCatalog(RunsClient client) {
    this(client, OZ);
  }

  @Override
  public Result find(Query query) {
    try {
      var page = client.runs().list(list(query)).send();
      return new Result.Listed(page.items().stream().map(this::entry).toList(), page.nextCursor());
    } catch (RunsException.BadRequest refused) {
      return new Result.Unavailable("The run service does not understand this filter.");
    } catch (RunsException failure) {
      return new Result.Unavailable(
          "The run service cannot list runs right now. Try again in a moment.");
    }
  }

  @Override
  public Optional<Details> details(RunId run) {
    try {
      var item = client.runs().get(run.value()).send();
      return Optional.of(
          new Details(
              entry(item),
              Optional.ofNullable(item.startedAt()),
              Optional.ofNullable(item.finishedAt()),
              RunItems.parent(item),
              executions(run),
              children(run),
              files(item)));
    } catch (RunsException failure) {
      return Optional.empty();
    }
  }

  /// Empty if the service keeps no timeline.
  private List<Execution> executions(RunId run) {
    try {
      return Executions.of(client.runs().timeline(run.value()).send());
    } catch (RunsException failure) {
      return List.of();
    }
  }

  private List<Entry> children(RunId run) {
    try {
      return client
          .runs()
          .list(
              ListRuns.ALL
                  .ancestor(run.value())
                  .sorted(SortBy.CREATED_AT, SortOrder.DESC)
                  .limit(MAX_CHILDREN))
          .send()
          .items()
          .stream()
          .filter(it -> run.value().equals(it.parentRunId()))
          .map(this::entry)
          .toList();
    } catch (RunsException failure) {
      return List.of();
    }
  }

  private static List<File> files(RunItem item) {
    return item.artifacts().stream()
        .flatMap(
            it ->
                switch (it) {
                  case ArtifactItem.File file -> Stream.of(file(file));
                  case ArtifactItem.Screenshot shot ->
                      Stream.of(
                          new File(
                              shot.artifactUid(),
                              Optional.ofNullable(shot.description()).orElse("Screenshot"),
                              true,
                              -1));
                  case ArtifactItem.Plan _,
                      ArtifactItem.PullRequest _,
                      ArtifactItem.ExternalReference _,
                      ArtifactItem.Unknown _ ->
                      Stream.<File>empty();
                })
        .toList();
  }

  private static File file(ArtifactItem.File file) {
    var name =
        Stream.of(file.title(), file.filename(), file.filepath())
            .filter(it -> it != null && !it.isBlank())
            .findFirst()
            .orElse("File");
    var type = Optional.ofNullable(file.mimeType()).orElse("");
    return new File(file.artifactUid(), name, IMAGES.contains(type), file.sizeBytes());
  }

  @Override
  public Optional<URI> fileLink(String file) {
    try {
      return Optional.ofNullable(client.artifacts().get(file).send().data())
          .flatMap(it -> RunItems.link(it.downloadUrl()));
    } catch (RunsException failure) {
      return Optional.empty();
    }
  }

  private static ListRuns list(Query query) {
    var list = ListRuns.ALL.sorted(SortBy.CREATED_AT, SortOrder.DESC).limit(query.limit());
    if (!query.words().isBlank()) {
      list = list.matching(query.words());
    }
    for (var state : query.states().stream().flatMap(it -> values(it).stream()).toList()) {
      list = list.state(state);
    }
    if (query.source().isPresent()) {
      list = list.source(new RunSource(query.source().get()));
    }
    if (query.creator().isPresent()) {
      list = list.creator(query.creator().get());
    }
    if (query.environment().isPresent()) {
      list = list.environment(query.environment().get());
    }
    if (query.model().isPresent()) {
      list = list.model(query.model().get());
    }
    for (var place : query.places()) {
      list = list.metadata("runnel.place", place);
    }
    for (var conversation : query.conversations()) {
      list = list.metadata("runnel.conversation", conversation);
    }
    return query.cursor().isPresent() ? list.cursor(query.cursor().get()) : list;
  }

  /// The wire states of a state.
  private static List<RunStateValue> values(RunState state) {
    return switch (state) {
      case QUEUED -> List.of(RunStateValue.QUEUED, RunStateValue.PENDING, RunStateValue.CLAIMED);
      case RUNNING -> List.of(RunStateValue.INPROGRESS);
      case BLOCKED -> List.of(RunStateValue.BLOCKED);
      case SUCCEEDED -> List.of(RunStateValue.SUCCEEDED);
      case FAILED -> List.of(RunStateValue.FAILED, RunStateValue.ERROR);
      case CANCELLED -> List.of(RunStateValue.CANCELLED);
      case UNKNOWN -> List.of();
    };
  }

  private Entry entry(RunItem item) {
    var creator = Optional.ofNullable(item.creator());
    var config = Optional.ofNullable(item.agentConfig());
    return new Entry(
        RunItems.run(item),
        Optional.ofNullable(item.createdAt()),
        Optional.ofNullable(item.metadata().get("runnel.person_name"))
            .or(() -> creator.map(it -> it.displayName()))
            .orElse(""),
        creator.map(it -> it.uid()).orElse(""),
        Optional.ofNullable(item.source()).map(RunSource::value).orElse(""),
        config
            .map(AgentConfig::name)
            .or(
                () ->
                    config
                        .map(AgentConfig::harness)
                        .map(it -> it.type())
                        .map(Object::toString)
                        .map(it -> it.equals(OZ) ? defaultAgent : it))
            .orElse(""),
        RunItems.link(item.triggerUrl()));
  }
}
