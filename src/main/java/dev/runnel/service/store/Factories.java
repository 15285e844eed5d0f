package dev.runnel.service.store;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.Factory;
import dev.runnel.service.run.Factory.Member;
import dev.runnel.service.run.NewRun;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.CredentialStrategy;
import dev.runnel.wire.DispatchRun;
import dev.runnel.wire.RunMode;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The configured factories: lookup, the JSON that the API shows, and the runs for dispatched work.
public final class Factories {
  private static final Pattern TICKET = Pattern.compile("^([^:\\s]+):(\\S+)");
  private static final String NO_FORGE = "NONE";
  private static final String TEAM = "runnel";
  private static final String SOURCE = "ticket_source";
  private static final String ID = "ticket_id";

  private final List<Factory> all;
  private final Instant since;

  /// @param since reported as their creation time; the real one is not known
  public Factories(List<Factory> all, Instant since) {
    this.all = List.copyOf(all);
    this.since = since;
  }

  /// Factories ordered by name.
  ///
  /// @param search part of the name or alias, case-insensitive; blank for all
  public List<Factory> find(String search) {
    var wanted = search.toLowerCase(Locale.ROOT);
    return all.stream()
        .filter(
            factory ->
                factory.name().toLowerCase(Locale.ROOT).contains(wanted)
                    || factory.alias().orElse("").toLowerCase(Locale.ROOT).contains(wanted))
        .sorted(Comparator.comparing(Factory::name))
        .toList();
  }

  public Optional<Factory> get(String uid) {
    return all.stream().filter(factory -> factory.uid().equals(uid)).findFirst();
  }

  public static boolean isOfTeam(Optional<String> team) {
    return team.isEmpty() || team.get().equals(TEAM);
  }

  /// The agents of all factories as agent identities, by uid.
  public Map<String, ObjectNode> identities() {
    var identities = new LinkedHashMap<String, ObjectNode>();
    for (var factory : all) {
      Stream.concat(Stream.of(factory.foreman()), factory.agents().stream())
          .forEach(member -> identities.put(factory.identity(member), identity(factory, member)));
    }
    return identities;
  }

  public ObjectNode show(Factory factory) {
    var json = ServiceJson.newObject();
    json.put("uid", factory.uid());
    json.put("name", factory.name());
    json.put("alias", factory.alias().orElse(null));
    json.put("description", factory.description().orElse(null));
    json.put("team_uid", TEAM);
    json.put("default_environment", factory.environment().orElse(null));
    json.put("default_model", factory.model().orElse(null));
    json.putNull("avatar_url");
    // A factory has no repositories of its own, only those of its environments.
    json.put("code_forge", NO_FORGE);
    json.putArray("code_forges").add(NO_FORGE);
    json.put("credential_strategy", CredentialStrategy.EXECUTOR.value());
    var defaults = json.putObject("agent_defaults");
    defaults.put("default_runner_uid", "").put("worker_host", "");
    defaults.putObject("mcp_servers");
    defaults.putArray("secrets");
    json.putObject("scorer_defaults");
    json.putObject("scoring").putNull("default_model");
    json.putArray("repositories");
    json.putArray("integrations");
    json.put("created_at", since.toString());
    json.put("updated_at", since.toString());
    return json;
  }

  /// Creates the foreman's run for dispatched work.
  ///
  /// @throws RequestProblem if the work is not a valid run
  public NewRun run(Factory factory, DispatchRun work) {
    var ticket = ticket(work);
    var body = ServiceJson.newObject();
    body.put("prompt", work.prompt());
    Optional.ofNullable(work.title()).ifPresent(title -> body.put("title", title));
    body.set("config", config(factory));
    body.put("mode", RunMode.ORCHESTRATE.value());
    body.put("agent_identity_uid", factory.identity(factory.foreman()));
    var metadata = body.putObject("metadata");
    var parts = TICKET.matcher(ticket);
    if (parts.matches()) {
      metadata.put(SOURCE, parts.group(1));
      metadata.put(ID, parts.group(2));
    }
    Optional.ofNullable(work.ticketUrl()).ifPresent(url -> metadata.put("ticket_url", url));
    return NewRun.parse(body);
  }

  /// The ticket as `source:id`; generated if none is given.
  private static String ticket(DispatchRun work) {
    var given = Optional.ofNullable(work.ticketRef()).filter(it -> !it.isBlank());
    if (given.isPresent() && !TICKET.matcher(given.get()).matches()) {
      throw RequestProblem.invalid("ticket_ref must be source:id, as in linear:PAY-123");
    }
    return given.orElseGet(() -> "adhoc:" + UUID.randomUUID());
  }

  /// The ticket that a dispatched run is for.
  public static String ticketOf(RunRow run) {
    var metadata = run.metadataEntries();
    return metadata.get(SOURCE) + ":" + metadata.get(ID);
  }

  private static ObjectNode config(Factory factory) {
    var config = ServiceJson.newObject();
    var foreman = factory.foreman();
    config.put("name", foreman.name());
    config.put("base_prompt", basePrompt(factory));
    foreman
        .environment()
        .or(factory::environment)
        .ifPresent(it -> config.put("environment_id", it));
    foreman.model().or(factory::model).ifPresent(it -> config.put("model_id", it));
    foreman.harness().ifPresent(it -> config.putObject("harness").put("type", it));
    return config;
  }

  private static String basePrompt(Factory factory) {
    var basePrompt = new StringBuilder();
    factory.foreman().prompt().ifPresent(prompt -> basePrompt.append(prompt).append("\n\n"));
    if (!factory.agents().isEmpty()) {
      basePrompt.append("You lead these agents. To give one a task, name its identity:\n");
      factory
          .agents()
          .forEach(
              agent ->
                  basePrompt
                      .append("- ")
                      .append(agent.name())
                      .append(": \"agent_identity_uid\": \"")
                      .append(factory.identity(agent))
                      .append("\"\n"));
    }
    return basePrompt.toString().strip();
  }

  private ObjectNode identity(Factory factory, Member member) {
    var json = ServiceJson.newObject();
    json.put("uid", factory.identity(member));
    json.put("name", member.name());
    json.put("available", true);
    json.put("created_at", since.toString());
    json.put("updated_at", since.toString());
    json.put("factory_uid", factory.uid());
    json.put(Identities.TYPE, member.equals(factory.foreman()) ? Identities.FOREMAN : "CUSTOM");
    member.prompt().ifPresent(prompt -> json.put("prompt", prompt));
    member.environment().or(factory::environment).ifPresent(it -> json.put("environment_id", it));
    member.model().or(factory::model).ifPresent(it -> json.put("base_model", it));
    member.harness().ifPresent(it -> json.putObject("harness").put("type", it));
    Identities.complete(json);
    return json;
  }
}
