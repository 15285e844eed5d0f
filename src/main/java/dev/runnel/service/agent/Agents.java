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

/// Which agents work on this machine.
///
/// @param usual for runs that do not ask for a certain one
/// @param here the known agents that are installed
public record Agents(Harness usual, List<Harness> here) {
  private static final List<Harness> KNOWN =
      List.of(new ClaudeAgent(), new CodexAgent(), new GeminiAgent(), new OpencodeAgent());

  /// The public service's own agent, and so the usual one.
  private static final String ANY = "oz";

  private static final Set<HarnessType> PUBLISHED =
      Set.of(HarnessType.CLAUDE, HarnessType.CODEX, HarnessType.GEMINI);

  private static final Pattern SECRET = Pattern.compile("(?i).*(key|token|secret|password)");

  public Agents {
    here = List.copyOf(here);
  }

  /// The usual one is the command if there is one, else the first known agent on the `PATH`, else
  /// the rehearsal.
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

  /// The secrets among the operator's variables that some known agent is lent.
  public static List<String> secrets(Map<String, String> environment) {
    return KNOWN.stream()
        .map(agent -> AgentEnvironment.pick(environment, agent.variables()))
        .flatMap(lent -> lent.entrySet().stream())
        .filter(variable -> SECRET.matcher(variable.getKey()).matches())
        .map(Map.Entry::getValue)
        .distinct()
        .toList();
  }

  /// The usual one, by a name that is published; the service's own goes by the name of the public
  /// service's.
  public HarnessType usualType() {
    var type = new HarnessType(usual.name());
    return PUBLISHED.contains(type) ? type : HarnessType.OZ;
  }

  /// The agent that a run asks for.
  ///
  /// @throws AgentRefused when it is not here
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

  /// Why no run can have an agent.
  ///
  /// @param wanted blank for the usual one
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
