package dev.runnel.console;

import dev.runnel.console.operation.Operation;
import dev.runnel.core.policy.Policy;
import dev.runnel.core.port.HealthCheck;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/// An installation with something of everything. Thread-safe.
final class SampleOperation implements Operation {
  static final String SCHEDULE = "schedule-1";
  static final String KEY = "key-1";

  private final Supplier<Policy> policy;
  private final InstantSource clock;
  private final Set<String> paused = new HashSet<>();
  private final Set<String> revoked = new HashSet<>();

  SampleOperation(Supplier<Policy> policy, InstantSource clock) {
    this.policy = policy;
    this.clock = clock;
  }

  @Override
  public List<HealthCheck.Finding> check() {
    return List.of(
        new HealthCheck.Finding("Database", true, "answers"),
        new HealthCheck.Finding("Slack", true, "ok, as @runnel in Acme"),
        new HealthCheck.Finding(
            "GitHub", false, "GitHub does not accept the token. Set a new one as GITHUB_TOKEN."));
  }

  @Override
  public Load load() {
    var now = clock.instant();
    return new Load(
        now.minus(Duration.ofHours(5)),
        List.of(
            new Connection(
                "Slack",
                true,
                "on, over a socket",
                Optional.of(now.minus(Duration.ofMinutes(2))),
                Optional.empty()),
            new Connection(
                "GitHub",
                true,
                "on",
                Optional.of(now.minus(Duration.ofHours(3))),
                Optional.of(now.minus(Duration.ofMinutes(40)))),
            new Connection(
                "GitLab",
                false,
                "off. Set GITLAB_TOKEN and GITLAB_WEBHOOK_SECRET",
                Optional.empty(),
                Optional.empty())),
        Map.of("GitHub", "GitHub does not accept the token. Set a new one as GITHUB_TOKEN."),
        Map.of("slack:T1/C1", now.plusSeconds(25)),
        Optional.of("dana froze all starts: the budget is spent."),
        List.of(
            new Queue("Messages", 3, Duration.ofSeconds(40), 1),
            new Queue("Posts", 0, Duration.ZERO, 1)),
        Optional.of(new Slots(3, 4, 2, 3, 1)),
        List.of(
            new Node("n1", "runnel-1", 4, Optional.of(now.minusSeconds(1)), true),
            new Node("n2", "runnel-2", 4, Optional.of(now.minusSeconds(4)), false)),
        new Memory(
            256L << 20,
            List.of(
                new MemoryShare("Runs", 48L << 20, 12L << 20, 0),
                new MemoryShare("Readers", 16L << 20, 0, 3))));
  }

  @Override
  public synchronized Optional<Resources> resources() {
    var now = clock.instant();
    return Optional.of(
        new Resources(
            "claude",
            List.of("claude", "codex"),
            "bubblewrap",
            List.of(
                new EnvironmentRow(
                    "web",
                    "Web shop",
                    true,
                    "The shop and its tests",
                    List.of(
                        "https://github.com/acme/shop.git",
                        "https://github.com/acme/a-library-with-quite-a-long-name.git"),
                    "node:22",
                    "public hosts",
                    List.of("NPM_TOKEN")),
                new EnvironmentRow("docs", "docs", false, "", List.of(), "", "", List.of())),
            List.of(
                new AgentRow("pay:lead", "lead", "claude", "web", "opus", "pay"),
                new AgentRow("a1", "reviewer", "", "", "sonnet", "")),
            List.of(
                new FactoryRow(
                    "pay", "Payments", "Does tickets of PAY", "web", "opus", List.of("lead"))),
            List.of(
                new ScheduleRow(
                    SCHEDULE,
                    "Nightly <audit>",
                    "30 2 * * *",
                    !paused.contains(SCHEDULE),
                    Optional.of(now.minus(Duration.ofHours(9))),
                    paused.contains(SCHEDULE)
                        ? Optional.empty()
                        : Optional.of(now.plus(Duration.ofHours(15))),
                    "There is no environment night here.")),
            List.of(
                new KeyRow(
                    KEY,
                    "grafana",
                    "read",
                    now.minus(Duration.ofDays(40)),
                    revoked.contains(KEY) ? Optional.of(now) : Optional.empty()))));
  }

  @Override
  public List<SettingInForce> settings() {
    return List.of(
        new SettingInForce("PORT", "port", "8080", "default", false),
        new SettingInForce(
            "SLACK_BOT_TOKEN", "slack.bot_token", "set, not shown", "the environment", false),
        new SettingInForce(
            "RUNNEL_AGENT_SLOTS", "agents.slots", "4", "/etc/runnel/runnel.yaml", true),
        new SettingInForce(
            "",
            "hooks.alerts.template",
            "Look into <this> " + "and that ".repeat(20),
            "/etc/runnel/runnel.yaml",
            false));
  }

  @Override
  public Policy policy() {
    return policy.get();
  }

  @Override
  public PolicyAnswer test(PolicyQuestion question) {
    return new PolicyAnswer(
        "refused",
        List.of(
            "Groups    slack:members",
            "refused   policy.rules[1]. %s may not %s in %s."
                .formatted(question.who(), question.verb(), question.where())));
  }

  @Override
  public synchronized Optional<String> enable(String schedule, boolean enabled) {
    if (!schedule.equals(SCHEDULE)) {
      return Optional.empty();
    }
    if (enabled) {
      paused.remove(schedule);
    } else {
      paused.add(schedule);
    }
    return Optional.of("Nightly <audit>");
  }

  @Override
  public synchronized Optional<String> revoke(String key) {
    return key.equals(KEY) && revoked.add(key) ? Optional.of("grafana") : Optional.empty();
  }
}
