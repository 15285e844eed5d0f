package dev.runnel.surface.linear;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.surface.kit.ApiResult;
import dev.runnel.surface.kit.Json;
import dev.runnel.surface.kit.TrackerUnavailable;
import dev.runnel.surface.tracker.IssueComments;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// The comments of issues on Linear, which are identified by their ids.
record LinearComments(LinearApi api, LinearAccount account) implements IssueComments<String> {
  @Override
  public ApiResult add(String issue, String text) {
    return api.comment(issue, HiddenMarker.hide(text));
  }

  @Override
  public ApiResult edit(String issue, PostRef comment, String text) {
    return api.edit(LinearId.comment(comment).orElseThrow(), HiddenMarker.hide(text));
  }

  /// The latest comments of any age, with their markers in the usual form.
  @Override
  public ApiResult since(String issue, Instant since, int page) {
    return api.comments(issue)
        .map(
            comments -> {
              var shown = JsonNodeFactory.instance.arrayNode();
              for (var comment : comments) {
                ObjectNode copy = comment.deepCopy();
                var text = HiddenMarker.show(Json.text(comment, "body").orElse(""));
                shown.add(copy.put("body", text));
              }
              return shown;
            });
  }

  @Override
  public boolean mayBeOurs(JsonNode comment) {
    return account.mayBe(Json.text(comment.path("user"), "id"));
  }

  @Override
  public ApiResult react(String issue, PostRef comment) {
    return api.react(LinearId.comment(comment).orElseThrow(), "eyes");
  }

  /// Finds labels by name; a missing one is created in the issue's team.
  @Override
  public ApiResult label(String issue, Optional<String> on, List<String> off) {
    var found = api.labels(issue);
    if (!(found instanceof ApiResult.Done(var now))) {
      return found;
    }
    try {
      return relabel(issue, now, on, off);
    } catch (TrackerUnavailable unavailable) {
      return new ApiResult.Busy(unavailable.after(), unavailable.why());
    }
  }

  private ApiResult relabel(String issue, JsonNode now, Optional<String> on, List<String> off) {
    var has = now.path("labels").path("nodes");
    var removed = new ArrayList<String>();
    var isOn = false;
    for (var label : has) {
      var name = Json.text(label, "name").orElse("");
      isOn |= on.filter(name::equalsIgnoreCase).isPresent();
      if (off.stream().anyMatch(name::equalsIgnoreCase)) {
        Json.text(label, "id").ifPresent(removed::add);
      }
    }
    var team = Json.text(now.path("team"), "id").orElse("");
    List<String> added = isOn ? List.of() : on.flatMap(name -> find(name, team)).stream().toList();
    return added.isEmpty() && removed.isEmpty()
        ? new ApiResult.Done(now)
        : api.relabel(issue, added, removed);
  }

  private Optional<String> find(String name, String team) {
    for (var label :
        api.labelsNamed(name).found().stream().flatMap(JsonNode::valueStream).toList()) {
      if (!Json.isThere(label, "team")
          || Json.text(label.path("team"), "id").equals(Optional.of(team))) {
        return Json.text(label, "id");
      }
    }
    return api.createLabel(name, team).found().flatMap(made -> Json.text(made, "id"));
  }

  @Override
  public Optional<PostRef> ref(String issue, JsonNode comment) {
    return Json.text(comment, "id").filter(LinearId::isValid).map(LinearId::comment);
  }

  @Override
  public boolean isComment(PostRef ref) {
    return LinearId.comment(ref).isPresent();
  }
}
