package dev.runnel.surface.jira;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.RunState;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.BoundedCaches;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.tracker.IssueStage;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Moves an issue through the transitions that the settings name as its run progresses. Optional:
/// if the workflow has no such transition now, nothing happens. Thread-safe.
final class JiraProgress {
  private static final Logger log = LoggerFactory.getLogger(JiraProgress.class);
  private static final int MAX_REMEMBERED = 1_000;

  private final JiraApi api;
  private final Map<IssueStage, String> transitions;
  // Avoids calls that would change nothing.
  private final Map<Conversation, IssueStage> last = BoundedCaches.map(MAX_REMEMBERED);

  JiraProgress(JiraApi api, Map<IssueStage, String> transitions) {
    this.api = api;
    this.transitions = transitions;
  }

  void show(JiraIssue issue, Conversation conversation, RunState state) {
    var stage = IssueStage.of(state);
    var name = stage.flatMap(each -> Optional.ofNullable(transitions.get(each)));
    if (stage.isEmpty() || name.isEmpty() || last.put(conversation, stage.get()) == stage.get()) {
      return;
    }
    if (!(api.transitions(issue) instanceof ApiResult.Done(var possible))) {
      last.remove(conversation);
      return;
    }
    for (var each : possible) {
      var isMeant =
          Json.text(each, "name").filter(name.get()::equalsIgnoreCase).isPresent()
              || Json.text(each.path("to"), "name")
                  .filter(name.get()::equalsIgnoreCase)
                  .isPresent();
      var id = Json.text(each, "id");
      if (isMeant && id.isPresent()) {
        if (!(api.transition(issue, id.get()) instanceof ApiResult.Done)) {
          last.remove(conversation);
        }
        return;
      }
    }
    log.debug("transition not available issue={} stage={}", issue, stage.get());
  }
}
