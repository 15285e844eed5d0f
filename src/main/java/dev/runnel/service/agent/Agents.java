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
/// @param defaultAgent for runs that request none
/// @param installed the installed agents among the known ones
public record Agents(Harness defaultAgent, List<Harness> installed) {
  private static final List<Harness> KNOWN =
      List.of(new ClaudeAgent(), new CodexAgent(), new GeminiAgent(), new OpencodeAgent());

  /// The public service's own agent; in this service it means the default agent.
  private static final String ANY = "oz";

  private static final Set<HarnessType> PUBLISHED =
      Set.of(HarnessType.CLAUDE, HarnessType.CODEX, HarnessType.GEMINI);

  private static final Pattern SECRET = Pattern.compile("(?i)^.*(key|token|secret|password)");

  public Agents {
    installed = List.copyOf(installed);
  }

  /// Finds the installed agents. The default agent is the command if there is one, else the first
  /// known agent on the `PATH`, else the demo agent.
  public static Agents find(Optional<String> command, Map<String, String> environment) {
    var installed =
        KNOWN.stream()
            .filter(agent -> Executables.find(agent.name(), environment).isPresent())
            .toList();
    return new Agents(
        command
            .<Harness>map(text -> new CommandAgent("command", text))
            .orElseGet(() -> installed.isEmpty() ? DemoAgent.agent() : installed.getFirst()),
        installed);
  }

  /// Assumes that all known agents are installed, for agents that run on other machines, where this
  /// cannot be checked. The default agent is the command if there is one, else the first known
  /// agent.
  public static Agents onOtherMachines(Optional<String> command) {
    return new Agents(
        command.<Harness>map(text -> new CommandAgent("command", text)).orElseGet(KNOWN::getFirst),
        KNOWN);
  }

  /// The values of the operator's secret variables that any known agent receives.
  public static List<String> secrets(Map<String, String> environment) {
    return KNOWN.stream()
        .map(agent -> AgentEnvironment.pick(environment, agent.variables()))
        .flatMap(variables -> variables.entrySet().stream())
        .filter(variable -> SECRET.matcher(variable.getKey()).matches())
        .map(Map.Entry::getValue)
        .distinct()
        .toList();
  }

  /// The type of the default agent as published in the API; `oz` stands for any agent that is not
  /// published.
  public HarnessType defaultType() {
    var type = new HarnessType(defaultAgent.name());
    return PUBLISHED.contains(type) ? type : HarnessType.OZ;
  }

  /// The agent that a run requests.
  ///
  /// @throws AgentRefused if it is not installed
  public Harness of(ExecutionRequest executionRequest) throws AgentRefused {
    var requested = executionRequest.harness().orElse(ANY);
    return named(requested).orElseThrow(() -> new AgentRefused(missing(requested)));
  }

  /// The agent of this name; empty if it is not installed.
  ///
  /// @param requested blank for the default
  public Optional<Harness> named(String requested) {
    return requested.isBlank() || requested.equals(ANY) || requested.equals(defaultAgent.name())
        ? Optional.of(defaultAgent)
        : installed.stream().filter(agent -> agent.name().equals(requested)).findFirst();
  }

  /// Explains that an agent is not installed.
  public String missing(String requested) {
    return "The run asks for the agent %s, which is not installed here. %s"
        .formatted(
            requested,
            installed.isEmpty()
                ? "No coding agent is."
                : installed.stream()
                    .map(Harness::name)
                    .collect(Collectors.joining(", ", "There is: ", ".")));
  }
}
