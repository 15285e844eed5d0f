package dev.runnel.service.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.agent.Agents;
import dev.runnel.service.agent.CommandAgent;
import dev.runnel.service.execution.ConfigResolution;
import dev.runnel.service.execution.SkillCatalog;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ExecutionRequest;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.RunAccess;
import dev.runnel.service.store.RunQueries;
import dev.runnel.service.workspace.Environment;
import dev.runnel.service.workspace.Environments;
import dev.runnel.service.workspace.Skill;
import dev.runnel.wire.CloudEnvironment;
import dev.runnel.wire.CloudEnvironmentConfig;
import dev.runnel.wire.EnvironmentName;
import dev.runnel.wire.GitHubRepo;
import dev.runnel.wire.LastTask;
import dev.runnel.wire.Model;
import dev.runnel.wire.ModelList;
import dev.runnel.wire.RunStateValue;
import dev.runnel.wire.Scope;
import dev.runnel.wire.SkillSource;
import dev.runnel.wire.SkillVariant;
import io.javalin.http.Context;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Lists what runs can request: skills, environments and models. The list of self-hosted workers is
/// always empty.
///
/// @param since when the environments were last read from the configuration
public record CatalogRoutes(
    Agents agents,
    Environments environments,
    SkillCatalog skills,
    RunQueries queries,
    RunAccess access,
    Instant since) {
  private static final Logger log = LoggerFactory.getLogger(CatalogRoutes.class);

  /// A skill in its repository, and all environments that contain it.
  private record SkillUse(Skill skill, List<EnvironmentName> environments) {}

  public void register(Api api) {
    api.get("/agent", this::skills);
    api.get("/agent/environments", this::environments);
    api.get("/agent/models", (ctx, _) -> Api.respond(ctx, ServiceJson.write(models())));
    api.get(
        "/agent/connected-self-hosted-workers",
        (ctx, _) -> {
          var body = ServiceJson.newObject();
          body.putArray("workers");
          Api.respond(ctx, body.toString());
        });
  }

  /// Lists the skills of all environments. With the key of an agent, only those of the environment
  /// of its run, without a refresh.
  private void skills(Context ctx, Caller caller) throws InterruptedException {
    var isByName = sortedBy(ctx, "name", "last_run").equals("name");
    var malformed = Api.flag(ctx, "include_malformed_skills");
    var repository = Optional.ofNullable(ctx.queryParam("repo")).filter(text -> !text.isBlank());
    var lastRuns = normalizeSpecs(queries.lastRunsOfSkills());
    var entries = new ArrayList<SkillEntry>();
    var names = new TreeMap<String, List<SkillUse>>();
    var refresh = Api.flag(ctx, "refresh") && !(caller.scope() instanceof Caller.Scope.Below);
    for (var each : findSkills(readableBy(caller), refresh)) {
      if ((malformed || each.skill().error().isEmpty())
          && repository.map(wanted -> isIn(each.skill(), wanted)).orElse(true)) {
        names.computeIfAbsent(each.skill().name(), _ -> new ArrayList<>()).add(each);
      }
    }
    names.forEach((name, all) -> entries.add(show(name, all, lastRuns)));
    if (!isByName) {
      entries.sort(Comparator.comparing(SkillEntry::lastRun).reversed());
    }
    var body = ServiceJson.newObject();
    var list = body.putArray("agents");
    entries.forEach(each -> list.add(each.json()));
    Api.respond(ctx, body.toString());
  }

  /// @param lastRun [Instant#MIN] if there was no run
  private record SkillEntry(Instant lastRun, ObjectNode json) {}

  private static SkillEntry show(String name, List<SkillUse> all, Map<String, Instant> lastRuns) {
    var json = ServiceJson.newObject().put("name", name);
    var variants = json.putArray("variants");
    var newest = Instant.MIN;
    for (var each : all) {
      var last = lastRun(each.skill(), lastRuns);
      newest = last != null && last.isAfter(newest) ? last : newest;
      variants.add(ServiceJson.object(variant(each, last)));
    }
    return new SkillEntry(newest, json);
  }

  private static SkillVariant variant(SkillUse use, @Nullable Instant lastRun) {
    var skill = use.skill();
    var slash = skill.repository().lastIndexOf('/');
    return new SkillVariant(
        skill.spec(),
        skill.description(),
        skill.basePrompt(),
        new SkillSource(
            skill.repository().substring(0, Math.max(slash, 0)),
            skill.repository().substring(slash + 1),
            skill.path(),
            null,
            Map.of()),
        use.environments(),
        lastRun,
        skill.error().orElse(null),
        Map.of());
  }

  /// A repository that cannot be fetched does not hide the skills of the others.
  private List<SkillUse> findSkills(List<Environment> readable, boolean refresh)
      throws InterruptedException {
    var found = new LinkedHashMap<String, SkillUse>();
    var failures = new ArrayList<String>();
    for (var environment : readable) {
      try {
        var name = new EnvironmentName(environment.uid(), environment.name(), Map.of());
        for (var skill : skills.of(environment, refresh)) {
          found
              .computeIfAbsent(skill.spec(), _ -> new SkillUse(skill, new ArrayList<>()))
              .environments()
              .add(name);
        }
      } catch (IllegalStateException e) {
        var why = skills.settings().redactor().redact(String.valueOf(e.getMessage()));
        log.warn("cannot read skills environment={} why={}", environment.uid(), why);
        failures.add(why);
      }
    }
    if (found.isEmpty() && !failures.isEmpty()) {
      throw new RequestProblem(RequestProblem.Code.RESOURCE_UNAVAILABLE, failures.getFirst());
    }
    return List.copyOf(found.values());
  }

  private List<Environment> readableBy(Caller caller) {
    if (!(caller.scope() instanceof Caller.Scope.Below(String run))) {
      return environments.all();
    }
    var uid = queries.find(run).map(ConfigResolution::environment).orElse("");
    return environments.all().stream().filter(each -> each.uid().equals(uid)).toList();
  }

  private static boolean isIn(Skill skill, String repository) {
    var here = skill.repository().toLowerCase(Locale.ROOT);
    var wanted = repository.toLowerCase(Locale.ROOT);
    return here.equals(wanted) || here.endsWith("/" + wanted);
  }

  /// Matches all forms in which requests can name a skill.
  private static @Nullable Instant lastRun(Skill skill, Map<String, Instant> lastRuns) {
    var repository = skill.repository();
    var name = repository.substring(repository.lastIndexOf('/') + 1);
    return Stream.of(repository, name)
        .flatMap(
            place ->
                Stream.of(skill.name(), skill.path(), skill.folder())
                    .map(rest -> place + ":" + rest))
        .map(spec -> lastRuns.get(spec.toLowerCase(Locale.ROOT)))
        .filter(Objects::nonNull)
        .max(Comparator.naturalOrder())
        .orElse(null);
  }

  private static Map<String, Instant> normalizeSpecs(Map<String, Instant> lastRuns) {
    var result = new TreeMap<String, Instant>();
    lastRuns.forEach(
        (spec, at) ->
            result.merge(
                spec.toLowerCase(Locale.ROOT), at, (one, two) -> one.isAfter(two) ? one : two));
    return result;
  }

  private void environments(Context ctx, Caller caller) {
    // All environments have the same update time, so both sort orders are the same.
    sortedBy(ctx, "last_updated", "name");
    var body = ServiceJson.newObject();
    var list = body.putArray("environments");
    environments.all().stream()
        .sorted(Comparator.comparing(Environment::name))
        .forEach(each -> list.add(ServiceJson.object(show(each, caller))));
    Api.respond(ctx, body.toString());
  }

  /// Without the last run if the caller may not access it, because it may be of other people.
  private CloudEnvironment show(Environment environment, Caller caller) {
    var isDefault = environments.defaultEnvironment().filter(environment::equals).isPresent();
    var last =
        queries
            .newestIn(environment.uid(), environment.name(), isDefault)
            .filter(run -> access.mayAccess(caller, run.id(), true));
    return new CloudEnvironment(
        environment.uid(),
        new CloudEnvironmentConfig(
            environment.name(),
            environment.description().orElse(null),
            environment.image().orElse(null),
            environment.repositories().stream().map(each -> repository(each.fullName())).toList(),
            environment.setupCommands(),
            null,
            null,
            Map.of()),
        since,
        last.flatMap(RunRow::status)
            .map(status -> status.errorCode())
            .map(code -> code.value().equals("environment_setup_failed"))
            .orElse(false),
        last.map(CatalogRoutes::task).orElse(null),
        last.map(RunRow::createdAt).orElse(null),
        new Scope("Team", "runnel", Map.of()),
        null,
        null,
        Map.of());
  }

  private static GitHubRepo repository(String fullName) {
    var slash = fullName.lastIndexOf('/');
    return new GitHubRepo(
        fullName.substring(0, Math.max(slash, 0)), fullName.substring(slash + 1), Map.of());
  }

  private static LastTask task(RunRow run) {
    return new LastTask(
        run.id(),
        run.title(),
        new RunStateValue(run.state().name()),
        run.createdAt(),
        run.updatedAt(),
        run.startedAt().orElse(null),
        Map.of());
  }

  private ModelList models() {
    var models = new ArrayList<Model>();
    models.add(
        new Model(
            ExecutionRequest.ANY_MODEL,
            "Chosen by " + agents.defaultAgent().name(),
            agents.defaultAgent().provider(),
            !(agents.defaultAgent() instanceof CommandAgent),
            null,
            null,
            "The agent's default if no model is requested",
            Map.of()));
    for (var agent : agents.installed()) {
      for (var model : agent.models()) {
        models.add(
            new Model(
                model,
                model,
                agent.provider(),
                true,
                null,
                null,
                "A model of " + agent.name(),
                Map.of()));
      }
    }
    return new ModelList(ExecutionRequest.ANY_MODEL, models, Map.of());
  }

  private static String sortedBy(Context ctx, String defaultKey, String other) {
    var wanted = Optional.ofNullable(ctx.queryParam("sort_by")).orElse(defaultKey);
    if (!Set.of(defaultKey, other).contains(wanted)) {
      throw RequestProblem.invalid("sort_by must be %s or %s".formatted(defaultKey, other));
    }
    return wanted;
  }
}
