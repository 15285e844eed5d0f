package dev.runnel.core.scope;

import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// The rules that choose options of runs, in their order: the first that applies decides. Pure.
public record Routes(List<Route> rules) {
  public static final Routes NONE = new Routes(List.of());

  public Routes {
    rules = List.copyOf(rules);
  }

  /// The rule that applies to a request.
  ///
  /// @param reason which rule it is and why it applies, in words for people
  public record Chosen(Map<String, String> options, String reason) {
    public Chosen {
      options = Map.copyOf(options);
    }
  }

  /// @param about the issue of the request
  Optional<Chosen> first(Request request, Conversation conversation, Snapshot about) {
    for (var number = 1; number <= rules.size(); number++) {
      var rule = rules.get(number - 1);
      var reason = rule.reason(request, conversation, about);
      if (reason.isPresent()) {
        return Optional.of(
            new Chosen(
                rule.options(), "by rule %d of `routes`: %s".formatted(number, reason.get())));
      }
    }
    return Optional.empty();
  }
}
