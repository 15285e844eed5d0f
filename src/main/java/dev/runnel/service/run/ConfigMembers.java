package dev.runnel.service.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import java.util.function.Predicate;

/// What this service does with the members of a configuration that the interface publishes, in
/// runs, schedules and agent identities. A member is served, refused by its name, or left out of
/// the answer: none is taken, shown and ignored.
public final class ConfigMembers {
  private static final String COMPUTER = "computer_use_enabled";

  /// What happens to a member.
  public enum Use {
    SERVED("served"),
    /// 400: the run would work elsewhere or as somebody else than asked for.
    REFUSED("refused, 400"),
    /// 403: this service has no such feature.
    NOT_OFFERED("refused, 403"),
    LEFT_OUT("not in the answer");

    private final String words;

    Use(String words) {
      this.words = words;
    }

    public String words() {
      return words;
    }
  }

  /// @param note what it does here; for a refused one, the reason
  /// @param asks whether a value asks for something; one that does not is accepted
  public record Member(String name, Use use, String note, Predicate<JsonNode> asks) {}

  public static final List<Member> PUBLISHED =
      List.of(
          served("name", "Groups runs; the default is the name of the skill"),
          served("model_id", "The model; the default is the agent's own"),
          served("base_prompt", "Precedes the prompt"),
          served("environment_id", "The uid or the name of an environment"),
          served("skill_spec", "A skill from a repository of the environment"),
          served("skills", "Several skills; not together with `skill_spec`"),
          served("mcp_servers", "Tool servers, shown without their secrets"),
          served("harness", "An agent that is installed here"),
          served(
              "idle_timeout_minutes",
              "0 to 60. The workspace is kept at least so long after the end of the run, even if it"
                  + " exceeds the limits of kept workspaces; only a full disk ends it"
                  + " earlier. The agent's processes always end with the run"),
          served(COMPUTER, "Agents have no desktop here: the answer always shows `false` for it"),
          refused(
              "worker_host",
              "this service gives runs to no other workers; leave it out, or send warp",
              value -> isText(value) && !value.asText().equals("warp")),
          refused(
              "runner_id",
              "this service has no runners; choose an environment instead",
              ConfigMembers::isText),
          refused(
              "default_runner_uid",
              "this service has no runners; choose an environment instead",
              ConfigMembers::isText),
          refused(
              "secrets",
              "this service keeps no secrets by name; put them into the variables of the"
                  + " environment",
              value -> !value.isEmpty()),
          refused(
              "secrets_append",
              "this service keeps no secrets by name; put them into the variables of the"
                  + " environment",
              value -> !value.isEmpty()),
          refused(
              "harness_auth_secrets",
              "this service keeps no secrets by name; agents use the keys of the operator",
              value -> value.valueStream().anyMatch(ConfigMembers::isText)),
          notOffered(
              "memory_stores", "this service has no memory stores", value -> !value.isEmpty()),
          notOffered("memory", "this service has no memory stores", ConfigMembers::asksForMemory),
          notOffered(
              "session_sharing",
              "sessions cannot be shared by a link here; who may see a run is decided by the"
                  + " policy",
              value -> value.valueStream().anyMatch(it -> !it.isNull())),
          notOffered(
              "inference_providers",
              "the operator configures the providers of models",
              value -> value.valueStream().anyMatch(it -> !it.isNull())),
          leftOut("computer_use_model_id", "Agents have no desktop here"),
          leftOut("experimental", "Only a service sets it"),
          served(
              "credential_strategy",
              "`CREATOR` or `EXECUTOR`. No tokens of people are minted here, so both are the"
                  + " same"));

  private ConfigMembers() {}

  /// @throws RequestProblem if a member asks for what this service does not do
  public static void check(ObjectNode config) {
    for (var member : PUBLISHED) {
      var value = config.path(member.name());
      if (value.isMissingNode() || value.isNull() || !member.asks().test(value)) {
        continue;
      }
      switch (member.use()) {
        case REFUSED -> throw problem(RequestProblem.Code.INVALID_REQUEST, member);
        case NOT_OFFERED -> throw problem(RequestProblem.Code.NOT_OFFERED, member);
        case SERVED, LEFT_OUT -> {}
      }
    }
    // Older client libraries name the secret here.
    if (isText(config.path("harness").path("auth_secret_name"))) {
      throw RequestProblem.invalid(
          "auth_secret_name: this service keeps no secrets by name; agents use the keys of the"
              + " operator");
    }
  }

  /// The configuration as it holds here, for the agent and for answers.
  public static ObjectNode inEffect(ObjectNode config) {
    var inEffect = config.deepCopy();
    PUBLISHED.stream()
        .filter(member -> member.use() == Use.LEFT_OUT)
        .forEach(member -> inEffect.remove(member.name()));
    if (inEffect.hasNonNull(COMPUTER)) {
      inEffect.put(COMPUTER, false);
    }
    return inEffect;
  }

  private static RequestProblem problem(RequestProblem.Code code, Member member) {
    return new RequestProblem(code, member.name() + ": " + member.note());
  }

  private static boolean asksForMemory(JsonNode memory) {
    return !memory.path("attached_stores").isEmpty()
        || memory.path("auto_memory").path("enabled").asBoolean();
  }

  private static boolean isText(JsonNode value) {
    return !value.asText("").isBlank();
  }

  private static Member served(String name, String note) {
    return new Member(name, Use.SERVED, note, _ -> false);
  }

  private static Member leftOut(String name, String note) {
    return new Member(name, Use.LEFT_OUT, note, _ -> false);
  }

  private static Member refused(String name, String why, Predicate<JsonNode> asks) {
    return new Member(name, Use.REFUSED, why, asks);
  }

  private static Member notOffered(String name, String why, Predicate<JsonNode> asks) {
    return new Member(name, Use.NOT_OFFERED, why, asks);
  }
}
