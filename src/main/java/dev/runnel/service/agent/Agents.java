package dev.runnel.service.agent;

import dev.runnel.service.run.Executables;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.wire.HarnessType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The agents that are available on this machine.
///
/// @param usual the default agent, for runs that request none
/// @param here the installed agents among the known ones
public record Agents(Harness usual, List<Harness> here) {
  private static final List<Harness> KNOWN =
      List.of(new ClaudeAgent(), new CodexAgent(), new GeminiAgent(), new OpencodeAgent());

  /// The public service's own agent; here it means the default agent.
  private static final String ANY = "oz";

  private static final Set<HarnessType> PUBLISHED =
      Set.of(HarnessType.CLAUDE, HarnessType.CODEX, HarnessType.GEMINI);

  private static final Pattern SECRET = Pattern.compile("(?i).*(key|token|secret|password)");

  public Agents {
    here = List.copyOf(here);
  }

  /// Finds the installed agents. The default agent is the command if there is one, else the first
  /// known agent on the `PATH`, else the demo agent.
  public static Agents find(Optional<String> command, Map<String, String> environment) {
    var here =
        KNOWN.stream()
            .filter(agent -> Executables.find(agent.name(), environment).isPresent())
            .toList();
    return new Agents(
        command
            .<Harness>map(text -> new CommandAgent("command", text))
            .orElseGet(() -> here.isEmpty() ? DemoAgent.agent() : here.getFirst()),
        here);
  }

  /// The known agents, of which this machine cannot say whether they are installed where they run.
  /// The default agent is the command if there is one, else the first of them.
  public static Agents elsewhere(Optional<String> command) {
    return new Agents(
        command.<Harness>map(text -> new CommandAgent("command", text)).orElseGet(KNOWN::getFirst),
        KNOWN);
  }

  /// The values of the operator's secret variables that any known agent receives.
  public static List<String> secrets(Map<String, String> environment) {
    return KNOWN.stream()
        .map(agent -> AgentEnvironment.pick(environment, agent.variables()))
        .flatMap(lent -> lent.entrySet().stream())
        .filter(variable -> SECRET.matcher(variable.getKey()).matches())
        .map(Map.Entry::getValue)
        .distinct()
        .toList();
  }

  /// The type of the default agent as published in the API; `oz` stands for any agent that is not
  /// published.
  public HarnessType usualType() {
    var type = new HarnessType(usual.name());
    return PUBLISHED.contains(type) ? type : HarnessType.OZ;
  }

  /// The agent that a run requests.
  ///
  /// @throws AgentRefused if it is not installed
  public Harness of(ExecutionRequest executionRequest) throws AgentRefused {
    var wanted = executionRequest.harness().orElse(ANY);
    if (wanted.equals(ANY) || wanted.equals(usual.name())) {
      return usual;
    }
    for (var agent : here) {
      if (agent.name().equals(wanted)) {
        return agent;
      }
    }
    throw new AgentRefused(missing(wanted));
  }

  /// Explains why an agent cannot be used; empty if it can.
  ///
  /// @param wanted name of the agent; blank for the default
  public Optional<String> problem(String wanted) {
    var isHere =
        wanted.isBlank()
            || wanted.equals(ANY)
            || wanted.equals(usual.name())
            || here.stream().anyMatch(agent -> agent.name().equals(wanted));
    return isHere ? Optional.empty() : Optional.of(missing(wanted));
  }

  private String missing(String wanted) {
    return "The run asks for the agent %s, which is not installed here. %s"
        .formatted(
            wanted,
            here.isEmpty()
                ? "No coding agent is."
                : here.stream()
                    .map(Harness::name)
                    .collect(Collectors.joining(", ", "There is: ", ".")));
  }
}
