package dev.runnel.app.server;

import com.fasterxml.jackson.databind.JsonNode;
import dev.runnel.app.settings.Config;
import dev.runnel.app.settings.KnownPlatforms;
import dev.runnel.console.operation.Operation;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.HealthCheck;
import dev.runnel.core.port.Store;
import dev.runnel.core.port.Store.Starts.Freeze;
import dev.runnel.core.scope.DefaultsResolver;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.service.AgentRunService;
import dev.runnel.service.agent.Harness;
import dev.runnel.service.run.ExecutionState;
import dev.runnel.service.workspace.Environment;
import dev.runnel.store.DatabaseHealth;
import dev.runnel.surface.Setting;
import dev.runnel.text.Redactor;
import dev.runnel.web.RequestMetrics;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The data for operators in the console, from the parts of a running server.
final class ConsoleOperation implements Operation {
  private static final int MAX_VALUE = 300;
  private static final String HIDDEN = "set, not shown";
  private static final Pattern SECRET_KEY =
      Pattern.compile("(?i)^.*(secret|token|password|passphrase|key|credential)s?(\\[\\d+])?");
  private static final Pattern PASSWORD =
      Pattern.compile("(?i)(password=)[^&\\s]*|(//[^:/@\\s]*:)[^@/\\s]*(?=@)");

  /// The settings at the start, the last that were read, and the values in force by path.
  record InForce(Config started, Config latest, Map<String, String> values) {}

  private final Parts parts;
  private final InstantSource clock;
  private final Instant since;

  /// @param service empty where another run service works
  record Parts(
      HealthCheck health,
      Platforms platforms,
      RequestMetrics requests,
      Store store,
      DatabaseHealth database,
      Optional<AgentRunService> service,
      Supplier<Policy> policy,
      Supplier<InForce> settings,
      Redactor redactor,
      MemoryBudget memory) {}

  ConsoleOperation(Parts parts, InstantSource clock) {
    this.parts = parts;
    this.clock = clock;
    this.since = clock.instant();
  }

  @Override
  public List<HealthCheck.Finding> check() {
    return parts.health().findings();
  }

  @Override
  public Load load() {
    var now = clock.instant();
    var gauges = parts.database().gauges();
    var pauses = parts.store().<Map<String, Instant>>commit(work -> work.limits().paused(now));
    var frozen = parts.store().<Optional<Freeze>>commit(work -> work.starts().freeze());
    return new Load(
        since,
        connections(),
        holds(),
        pauses,
        frozen.map(
            it ->
                "%s froze all starts%s."
                    .formatted(it.by().name(), it.reason().map(why -> ": " + why).orElse(""))),
        List.of(queue("Messages", "inbox", gauges), queue("Posts", "outbox", gauges)),
        parts.service().map(ConsoleOperation::slots),
        parts.service().map(ConsoleOperation::nodes).orElse(List.of()),
        memory(parts.memory()));
  }

  private static Memory memory(MemoryBudget budget) {
    return new Memory(
        budget.heap(),
        Stream.of(MemoryBudget.Kind.values())
            .map(
                kind -> {
                  var share = budget.share(kind);
                  return new MemoryShare(
                      capitalized(kind.title()), share.size(), share.taken(), share.refusals());
                })
            .toList());
  }

  private static String capitalized(String words) {
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  private List<Connection> connections() {
    return parts.platforms().all().stream()
        .map(
            it ->
                new Connection(
                    it.definition().name(),
                    it.connected().isPresent(),
                    it.status(),
                    parts.requests().lastSeen(it.definition().id()),
                    parts.requests().lastRejected(it.definition().id())))
        .toList();
  }

  private Map<String, String> holds() {
    var holds = new TreeMap<String, String>();
    parts
        .store()
        .holds()
        .forEach((surface, why) -> holds.put(parts.platforms().name(surface), why));
    return holds;
  }

  private static Queue queue(String name, String table, Map<String, Long> gauges) {
    var prefix = "runnel_" + table;
    return new Queue(
        name,
        gauges.getOrDefault(prefix + "_waiting", 0L),
        Duration.ofSeconds(gauges.getOrDefault(prefix + "_oldest_seconds", 0L)),
        gauges.getOrDefault(prefix + "_parked", 0L));
  }

  private static Slots slots(AgentRunService service) {
    var unfinished = service.unfinished();
    return new Slots(
        service.working(),
        service.slots(),
        unfinished.getOrDefault(ExecutionState.QUEUED, 0L),
        unfinished.getOrDefault(ExecutionState.INPROGRESS, 0L),
        unfinished.getOrDefault(ExecutionState.BLOCKED, 0L));
  }

  private static List<Node> nodes(AgentRunService service) {
    return service.inventory().membership().nodes().stream()
        .map(it -> new Node(it.name(), it.host(), it.slots(), it.seenAt(), it.isThis()))
        .toList();
  }

  @Override
  public Optional<Resources> resources() {
    return parts.service().map(this::resources);
  }

  private Resources resources(AgentRunService service) {
    var inventory = service.inventory();
    return new Resources(
        service.agentName(),
        inventory.agents().installed().stream().map(Harness::name).toList(),
        service.isolation(),
        inventory.environments().all().stream()
            .map(it -> environment(it, inventory.environments().defaultEnvironment()))
            .toList(),
        inventory.identities().list(Optional.empty()).stream()
            .map(ConsoleOperation::agent)
            .toList(),
        inventory.factories().stream()
            .map(
                it ->
                    new FactoryRow(
                        it.uid(),
                        it.name(),
                        it.description().orElse(""),
                        it.environment().orElse(""),
                        it.model().orElse(""),
                        Stream.concat(Stream.of(it.foreman()), it.agents().stream())
                            .map(member -> member.name())
                            .toList()))
            .toList(),
        inventory.schedules().list().stream()
            .map(
                it ->
                    new ScheduleRow(
                        it.id(),
                        it.name(),
                        it.cron(),
                        it.enabled(),
                        it.lastRan(),
                        it.nextRun(),
                        it.lastError().map(parts.redactor()::redact).orElse("")))
            .toList(),
        inventory.keys().list().stream()
            .map(it -> new KeyRow(it.id(), it.name(), it.scope(), it.createdAt(), it.revokedAt()))
            .toList());
  }

  private EnvironmentRow environment(Environment it, Optional<Environment> byDefault) {
    return new EnvironmentRow(
        it.uid(),
        it.name(),
        byDefault.filter(it::equals).isPresent(),
        it.description().orElse(""),
        it.repositories().stream().map(each -> shown(each.url())).toList(),
        it.image().orElse(""),
        it.egress().map(each -> each.line()).orElse(""),
        it.variables());
  }

  private static AgentRow agent(JsonNode identity) {
    return new AgentRow(
        identity.path("uid").asText(""),
        identity.path("name").asText(""),
        identity.path("harness").path("type").asText(""),
        identity.path("environment_id").asText(""),
        identity.path("base_model").asText(""),
        identity.path("factory_uid").asText(""));
  }

  @Override
  public List<SettingInForce> settings() {
    var now = parts.settings().get();
    var all = new ArrayList<SettingInForce>();
    var rest = new TreeMap<>(now.values());
    for (var setting : KnownPlatforms.settings()) {
      rest.remove(setting.path());
      all.add(setting(setting, now));
    }
    var file = now.latest().settings().file().map(Object::toString).orElse("the file");
    rest.forEach(
        (path, value) -> all.add(new SettingInForce("", path, section(path, value), file, false)));
    return all;
  }

  private SettingInForce setting(Setting setting, InForce now) {
    var value = Optional.ofNullable(now.values().get(setting.path()));
    var latest = now.latest().settings();
    var isPending = !latest.get(setting).equals(value);
    var read = isPending ? now.started().settings() : latest;
    return new SettingInForce(
        setting.variable(),
        setting.path(),
        value.map(it -> setting.isSecret() ? HIDDEN : shown(it)).orElse(setting.defaultValue()),
        value.isEmpty() ? "default" : read.origins().getOrDefault(setting, "default"),
        isPending);
  }

  private String section(String path, String value) {
    return SECRET_KEY.matcher(path).matches() ? HIDDEN : shown(value);
  }

  private String shown(String value) {
    var text = parts.redactor().redact(withoutPasswords(value));
    return text.length() > MAX_VALUE ? text.substring(0, MAX_VALUE) + " …" : text;
  }

  /// Passwords may be shorter than what the redactor knows.
  static String withoutPasswords(String value) {
    return PASSWORD
        .matcher(value)
        .replaceAll(
            found ->
                Matcher.quoteReplacement(
                    Optional.ofNullable(found.group(1)).orElseGet(() -> found.group(2))
                        + Redactor.MASK));
  }

  @Override
  public Policy policy() {
    return parts.policy().get();
  }

  @Override
  public PolicyAnswer test(PolicyQuestion question) {
    var chosen = new TreeMap<String, String>();
    question.environment().ifPresent(it -> chosen.put("env", it));
    question.model().ifPresent(it -> chosen.put("model", it));
    var inForce = parts.settings().get();
    var settings = inForce.latest().settings();
    var environments = inForce.started().settings().defaults().environments();
    var defaults =
        new DefaultsResolver(
            parts.store(), settings.defaults().withEnvironments(environments), settings.profiles());
    var answer =
        new PolicyTester(policy(), parts.platforms()::find, defaults::of)
            .test(question.who(), question.verb(), question.where(), question.own(), chosen);
    return new PolicyAnswer(
        switch (answer.result()) {
          case PERMITTED -> "permitted";
          case REFUSED -> "refused";
          case NOT_UNDERSTOOD -> "unclear";
          case WAITS_FOR_APPROVAL -> "approval";
        },
        answer.lines().stream().map(parts.redactor()::redact).toList());
  }

  @Override
  public Optional<String> enable(String schedule, boolean enabled) {
    return parts
        .service()
        .flatMap(it -> it.inventory().schedules().enable(schedule, enabled))
        .map(it -> it.name());
  }

  @Override
  public Optional<String> revoke(String key) {
    return parts
        .service()
        .map(it -> it.inventory().keys())
        .flatMap(
            keys ->
                keys.list().stream()
                    .filter(it -> it.id().equals(key))
                    .findFirst()
                    .filter(_ -> keys.revoke(key)))
        .map(it -> it.name());
  }
}
