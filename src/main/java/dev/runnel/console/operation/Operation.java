package dev.runnel.console.operation;

import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.HealthCheck;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/// What operators see of this installation besides runs, and what they can change. Each call reads
/// the current state. No value contains a secret.
public interface Operation {
  /// Calls everything that is connected; may take seconds.
  List<HealthCheck.Finding> check();

  Load load();

  /// The resources of the run service; empty if it is not the embedded one.
  Optional<Resources> resources();

  List<SettingInForce> settings();

  Policy policy();

  /// Why rules of the policy never decide anything, one sentence each.
  default List<String> unreachable() {
    return policy().unreachable();
  }

  /// Which rule decides about a request, and how. May ask the platform for the person's groups.
  PolicyAnswer test(PolicyQuestion question);

  /// Pauses or resumes a schedule.
  ///
  /// @return its name; empty if there is none
  Optional<String> enable(String schedule, boolean enabled);

  /// Revokes a key.
  ///
  /// @return its name; empty if there is no valid one
  Optional<String> revoke(String key);

  /// The running and the waiting work.
  ///
  /// @param since when this process started
  /// @param holds platforms whose credential was refused, with the remedy
  /// @param pauses the pauses that platforms asked for, by rate limit
  /// @param frozen why nobody can start a run; empty if people can
  /// @param runs the run service's slots; empty where it is not the embedded one
  /// @param memory the shares of the heap
  record Load(
      Instant since,
      List<Connection> connections,
      Map<String, String> holds,
      Map<String, Instant> pauses,
      Optional<String> frozen,
      List<Queue> queues,
      Optional<Slots> runs,
      List<Node> nodes,
      Memory memory) {
    public Load {
      connections = List.copyOf(connections);
      holds = Map.copyOf(holds);
      pauses = Map.copyOf(pauses);
      queues = List.copyOf(queues);
      nodes = List.copyOf(nodes);
    }
  }

  /// A platform.
  ///
  /// @param status how it is connected, or how to connect it
  /// @param seen when its last request arrived since the start
  /// @param rejected when a request was last rejected since the start
  record Connection(
      String name,
      boolean isOn,
      String status,
      Optional<Instant> seen,
      Optional<Instant> rejected) {}

  /// @param heap its maximum size in bytes
  record Memory(long heap, List<MemoryShare> shares) {
    public Memory {
      shares = List.copyOf(shares);
    }
  }

  /// What may wait in memory on behalf of others.
  ///
  /// @param name for whom: `Readers`
  /// @param size in bytes
  /// @param taken of these bytes, now
  /// @param refusals how often memory was not free, since the start
  record MemoryShare(String name, long size, long taken, long refusals) {
    public String percentTaken() {
      return size == 0 ? "" : "%d %%".formatted(100 * taken / size);
    }
  }

  /// @param oldest how long the oldest has waited
  record Queue(String name, long waiting, Duration oldest, long parked) {}

  /// @param working executions on this node
  /// @param slots of this node, at each depth
  record Slots(int working, int slots, long queued, long running, long waiting) {}

  /// @param seen when it last renewed its lease; empty if it is alone
  record Node(String name, String host, int slots, Optional<Instant> seen, boolean isThis) {}

  /// @param installed the coding agents on this machine
  record Resources(
      String agent,
      List<String> installed,
      String isolation,
      List<EnvironmentRow> environments,
      List<AgentRow> agents,
      List<FactoryRow> factories,
      List<ScheduleRow> schedules,
      List<KeyRow> keys) {
    public Resources {
      installed = List.copyOf(installed);
      environments = List.copyOf(environments);
      agents = List.copyOf(agents);
      factories = List.copyOf(factories);
      schedules = List.copyOf(schedules);
      keys = List.copyOf(keys);
    }
  }

  /// @param variables names of the variables that agents receive
  record EnvironmentRow(
      String uid,
      String name,
      boolean isDefault,
      String description,
      List<String> repositories,
      String image,
      String network,
      List<String> variables) {
    public EnvironmentRow {
      repositories = List.copyOf(repositories);
      variables = List.copyOf(variables);
    }
  }

  /// @param factory the uid of its factory; empty for one that the API made
  record AgentRow(
      String uid, String name, String program, String environment, String model, String factory) {}

  record FactoryRow(
      String uid,
      String name,
      String description,
      String environment,
      String model,
      List<String> agents) {
    public FactoryRow {
      agents = List.copyOf(agents);
    }
  }

  /// @param problem why its last run could not be started; empty if it could
  record ScheduleRow(
      String id,
      String name,
      String cron,
      boolean isEnabled,
      Optional<Instant> last,
      Optional<Instant> next,
      String problem) {}

  /// @param scope `all`, `runs` or `read`
  record KeyRow(String id, String name, String scope, Instant created, Optional<Instant> revoked) {}

  /// @param name the variable; the path for a value of a section
  /// @param value for people; a placeholder if it is secret
  /// @param origin `runnel.yaml`, `the environment`, `the command line` or `default`
  /// @param pending whether it was changed since the start, and needs a restart
  record SettingInForce(String name, String path, String value, String origin, boolean pending) {}

  /// @param who `slack:T012AB/U012345`
  /// @param verb `start`
  /// @param where `slack:T012AB/C012345`
  /// @param own whether it concerns the person's own run
  record PolicyQuestion(
      String who,
      String verb,
      String where,
      boolean own,
      Optional<String> environment,
      Optional<String> model) {}

  /// @param result `permitted`, `refused`, `approval` or `unclear`
  /// @param lines the findings, and the rule that decided
  record PolicyAnswer(String result, List<String> lines) {
    public PolicyAnswer {
      lines = List.copyOf(lines);
    }
  }
}
