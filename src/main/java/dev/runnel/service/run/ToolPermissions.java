package dev.runnel.service.run;

import dev.runnel.text.ToolReply;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The decisions of people about the tools that a run's agent requested. Contains digests of tool
/// calls, not their input. Stored as JSON, by the names of the components.
///
/// @param requests how often the run has asked
/// @param asked the call that the run currently asks about
/// @param once calls that are permitted once and were not made yet
/// @param forRun scopes that are permitted for the rest of the run
/// @param answer the decision that the next execution receives
public record ToolPermissions(
    int requests,
    @Nullable Asked asked,
    Set<String> once,
    Set<String> forRun,
    @Nullable Answer answer) {
  public static final ToolPermissions NONE = new ToolPermissions(0, null, Set.of(), Set.of(), null);

  /// @param call see [ToolCall#digest]
  /// @param scope see [ToolCall#scopeDigest]
  public record Asked(String tool, String call, String scope) {}

  /// @param execution the execution that receives the decision
  public record Answer(int execution, String tool, ToolReply reply) {}

  public ToolPermissions {
    once = Set.copyOf(once);
    forRun = Set.copyOf(forRun);
  }

  /// @param json as [#toJson] wrote it
  public static ToolPermissions of(Optional<String> json) {
    return json.map(it -> ServiceJson.convert(ServiceJson.read(it), ToolPermissions.class))
        .orElse(NONE);
  }

  public String toJson() {
    return ServiceJson.write(this);
  }

  /// Adds a request for a call that is not permitted.
  public ToolPermissions withRequest(ToolCall call) {
    return new ToolPermissions(
        requests + 1,
        new Asked(call.name(), call.digest(), call.scopeDigest()),
        once,
        forRun,
        answer);
  }

  /// Applies a person's answer. An answer that does not permit the call also revokes earlier
  /// permissions for one call that were not used.
  ///
  /// @param execution the execution that the answer starts
  public ToolPermissions withAnswer(String message, int execution) {
    if (asked == null) {
      return this;
    }
    var reply = ToolReply.of(message);
    return new ToolPermissions(
        requests,
        null,
        onceAfter(reply, asked.call()),
        reply == ToolReply.ALLOW_FOR_RUN ? with(forRun, asked.scope()) : forRun,
        new Answer(execution, asked.tool(), reply));
  }

  private Set<String> onceAfter(ToolReply reply, String call) {
    return switch (reply) {
      case ALLOW_ONCE -> with(once, call);
      case ALLOW_FOR_RUN -> once;
      case DECLINE, OTHER -> Set.of();
    };
  }

  /// Removes the last request, which can no longer be answered.
  public ToolPermissions withoutRequest() {
    return asked == null ? this : new ToolPermissions(requests, null, once, forRun, answer);
  }

  /// Removes the request and the permissions for one call, because the work has ended.
  public ToolPermissions afterEnd() {
    return new ToolPermissions(requests, null, Set.of(), forRun, null);
  }

  public boolean permits(ToolCall call) {
    return once.contains(call.digest()) || forRun.contains(call.scopeDigest());
  }

  /// Uses up a permission for one call, because the permitted call is made.
  public ToolPermissions afterUse(ToolCall call) {
    if (forRun.contains(call.scopeDigest())) {
      return this;
    }
    var left = new HashSet<>(once);
    left.remove(call.digest());
    return new ToolPermissions(requests, asked, left, forRun, answer);
  }

  /// The text for the agent that precedes the answer in the prompt of an execution; empty if the
  /// execution was not started by an answer.
  public Optional<String> instructions(int execution) {
    if (answer == null || answer.execution() != execution) {
      return Optional.empty();
    }
    var decision =
        switch (answer.reply()) {
          case ALLOW_ONCE -> "It is allowed once: make exactly the same call again.";
          case ALLOW_FOR_RUN -> "It is allowed: make the same call again.";
          case DECLINE ->
              "It is declined: do not make this call, and do not do the same in another way. Go on"
                  + " without it, or say what you cannot do.";
          case OTHER ->
              "It is not allowed. Do what the answer says; if that needs this call, make it again,"
                  + " and the person is asked again.";
        };
    return Optional.of(
        "Your call of the tool %s was stopped until a person decided about it. %s Their answer:"
            .formatted(answer.tool(), decision));
  }

  private static Set<String> with(Set<String> all, String more) {
    var plus = new HashSet<>(all);
    plus.add(more);
    return plus;
  }
}
