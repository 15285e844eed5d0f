package dev.runnel.surface.slack.post;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.surface.slack.api.SlackAgentApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.install.SlackWorkspaces;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPrompts;
import dev.runnel.surface.slack.receive.SlackAgentEvents;
import dev.runnel.threads.SupervisedThread;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Shows a direct thread in Slack's agent view: suggested prompts, a working status, the run's
/// steps as they arrive, and Slack's own stop button. What the app does not support is omitted;
/// then the status post is an edited message.
///
/// A status is streamed only where Slack shows its stop button, because a streamed message cannot
/// carry ours.
///
/// @implSpec Thread-safe.
public final class SlackAgentView implements SlackAgentEvents.Watcher, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SlackAgentView.class);
  private static final int MAX_CONCURRENT_HINTS = 4;

  /// Under load, further hints are dropped without harm.
  private static final int MAX_HINTS = 200;

  private final SlackWorkspaces workspaces;
  private final SlackPrompts prompts;
  private final SlackStatusLine statusLine;
  private final SlackStreams streams;
  private final OpenChannels openChannels;
  private final ExecutorService hintExecutor =
      new ThreadPoolExecutor(
          MAX_CONCURRENT_HINTS,
          MAX_CONCURRENT_HINTS,
          0,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_HINTS),
          SupervisedThread.virtuals("slack-hint"),
          new ThreadPoolExecutor.DiscardPolicy());

  public SlackAgentView(SlackWorkspaces workspaces, SlackPrompts prompts, InstantSource clock) {
    this.workspaces = workspaces;
    this.prompts = prompts;
    this.statusLine = new SlackStatusLine(clock);
    this.streams = new SlackStreams(clock);
    this.openChannels = new OpenChannels(clock);
  }

  /// The channels that users have open beside the agent.
  public OpenChannels openChannels() {
    return openChannels;
  }

  /// @param ref the status post, once there is one
  Posting status(
      Notice notice,
      Update.Status status,
      @Nullable PostRef ref,
      SlackStreams.PlainMessages plain) {
    var place = SlackPlace.of(notice.conversation());
    if (!isSupportedIn(place)) {
      return postPlain(notice, ref, plain);
    }
    var api = api(place);
    var posting =
        status.run().state().isInProgress()
            ? postWorking(api, notice, status, ref, plain)
            : postIdle(api, notice, ref, plain);
    if (posting instanceof Posting.Posted) {
      if (status.run().state().isInProgress()) {
        statusLine.setLine(api, place, status, ref == null);
      } else {
        statusLine.markIdle(api, place, status);
      }
    }
    return posting;
  }

  private Posting postWorking(
      SlackAgentApi api,
      Notice notice,
      Update.Status status,
      @Nullable PostRef ref,
      SlackStreams.PlainMessages plain) {
    var kind = statusLine.markBusy(api, SlackPlace.of(notice.conversation()), status);
    var earlier = findEarlier(api, notice, ref, plain);
    if (earlier.isPresent()) {
      return earlier.get();
    }
    return switch (kind) {
      case STOPPABLE ->
          ref == null
              ? streams.begin(api, notice, status, plain)
              : streams.append(api, notice, status, ref, plain);
      case UNKNOWN, SESSION, LINE, NONE -> postPlain(notice, ref, plain);
    };
  }

  /// Updates the status post of a run that has ended or waits for a person.
  private Posting postIdle(
      SlackAgentApi api, Notice notice, @Nullable PostRef ref, SlackStreams.PlainMessages plain) {
    if (ref != null && statusLine.mayStream(SlackPlace.of(notice.conversation()))) {
      return streams.close(api, notice, ref).orElseGet(() -> plain.edit(notice, ref, true));
    }
    return findEarlier(api, notice, ref, plain).orElseGet(() -> postPlain(notice, ref, plain));
  }

  private Optional<Posting> findEarlier(
      SlackAgentApi api, Notice notice, @Nullable PostRef ref, SlackStreams.PlainMessages plain) {
    return ref == null
            && notice.tries() > 0
            && statusLine.mayStream(SlackPlace.of(notice.conversation()))
        ? streams.findEarlier(api, notice, plain)
        : Optional.empty();
  }

  /// Renews the same status before it expires.
  Posting renew(
      Notice notice,
      Update.Status status,
      @Nullable PostRef ref,
      SlackStreams.PlainMessages plain) {
    var place = SlackPlace.of(notice.conversation());
    var api = api(place);
    if (status.run().state().isInProgress()) {
      statusLine.markBusy(api, place, status);
      statusLine.setLine(api, place, status, false);
      if (ref != null && statusLine.mayStream(place)) {
        return streams.renew(api, notice, ref, plain);
      }
    } else {
      statusLine.markIdle(api, place, status);
    }
    return new Posting.Posted(
        ref == null ? place.message("~" + notice.id()).ref() : ref, notice.conversation());
  }

  /// The time after which the status in the thread must be renewed; empty for never.
  public Optional<Duration> statusLifetime(SlackPlace place) {
    if (!isSupportedIn(place)) {
      return Optional.empty();
    }
    var lifetime = statusLine.lifetime(place);
    var timeLeft = streams.timeLeft(place);
    return lifetime.isPresent()
            && timeLeft.isPresent()
            && timeLeft.get().compareTo(lifetime.get()) < 0
        ? timeLeft
        : lifetime.or(() -> timeLeft);
  }

  /// Whether the status there is an open stream.
  public boolean isStreaming(SlackPlace place) {
    return isSupportedIn(place) && streams.timeLeft(place).isPresent();
  }

  private static boolean isSupportedIn(SlackPlace place) {
    return place.isDirect() && place.isThread();
  }

  private static Posting postPlain(
      Notice notice, @Nullable PostRef ref, SlackStreams.PlainMessages plain) {
    return ref == null ? plain.postNew(notice) : plain.edit(notice, ref, true);
  }

  private SlackAgentApi api(SlackPlace place) {
    return api(place.team());
  }

  private SlackAgentApi api(String team) {
    return new SlackAgentApi(workspaces.of(team).api());
  }

  /// Sets the suggested prompts. Current agent apps have the default prompts in their manifest.
  @Override
  public void opened(String team, String channel, Optional<String> thread) {
    if (prompts.all().isEmpty() || (thread.isEmpty() && prompts.areDefaults())) {
      return;
    }
    hint(
        () -> {
          if (api(team).prompts(channel, thread.orElse(null), prompts)
              instanceof SlackResponse.No<?>(String error)) {
            log.debug("slack prompts not set team={} error={}", team, error);
          }
        });
  }

  @Override
  public void stopped(SlackPlace place, String user) {
    hint(() -> statusLine.stopPressed(api(place), place, user));
  }

  /// Runs an optional call in the background; failures are ignored.
  private void hint(Runnable hint) {
    hintExecutor.execute(
        () -> {
          try {
            hint.run();
          } catch (CredentialRefused refused) {
            log.debug("slack hint not sent why=\"{}\"", refused.why());
          }
        });
  }

  @Override
  public void channelOpened(String team, String user, Optional<String> channel) {
    openChannels.set(team, user, channel);
  }

  @Override
  public void close() {
    hintExecutor.shutdownNow();
  }
}
