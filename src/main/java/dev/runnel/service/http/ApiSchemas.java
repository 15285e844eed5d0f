package dev.runnel.service.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.ArtifactContent;
import dev.runnel.wire.CloudEnvironment;
import dev.runnel.wire.Conversation;
import dev.runnel.wire.ConversationContent;
import dev.runnel.wire.ConversationFollowUpAccepted;
import dev.runnel.wire.ConversationMessage;
import dev.runnel.wire.ConversationStep;
import dev.runnel.wire.CreatedRun;
import dev.runnel.wire.Deleted;
import dev.runnel.wire.DispatchedRun;
import dev.runnel.wire.Factory;
import dev.runnel.wire.FactoryPage;
import dev.runnel.wire.FollowUpAccepted;
import dev.runnel.wire.HandoffAttachment;
import dev.runnel.wire.HarnessUsage;
import dev.runnel.wire.Identity;
import dev.runnel.wire.Model;
import dev.runnel.wire.ModelList;
import dev.runnel.wire.Problem;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunPage;
import dev.runnel.wire.Schedule;
import dev.runnel.wire.Skill;
import dev.runnel.wire.SkillVariant;
import dev.runnel.wire.TimelineEvent;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Derives JSON schemas from records. Not thread-safe.
final class ApiSchemas {
  /// Members that this service always sends, although the records permit their absence, because
  /// clients also read other services with them. `NAME?` may be null; `-NAME` may be absent,
  /// although the record has an empty value then.
  private static final Map<Class<?>, Set<String>> SENT =
      Map.ofEntries(
          sent(CreatedRun.class, "task_id"),
          sent(
              RunItem.class, "task_id title prompt created_at updated_at finished_at? root_run_id"),
          sent(RunPage.class, "page_info"),
          sent(FollowUpAccepted.class, "outcome"),
          sent(ConversationFollowUpAccepted.class, "outcome run_id"),
          sent(TimelineEvent.class, "event_uuid run_id event_type occurred_at"),
          sent(HarnessUsage.class, "run_id conversation_id"),
          sent(Conversation.class, "conversation_id"),
          sent(ConversationStep.class, "id started_at"),
          sent(ConversationMessage.class, "role timestamp"),
          sent(ConversationContent.class, "type"),
          sent(HandoffAttachment.class, "attachment_id filename download_url mime_type"),
          sent(ArtifactContent.class, "artifact_type artifact_uid created_at data"),
          sent(Skill.class, "name"),
          sent(SkillVariant.class, "id description base_prompt source"),
          sent(CloudEnvironment.class, "config last_updated setup_failed scope"),
          sent(ModelList.class, "default_model_id"),
          sent(Model.class, "display_name provider vision_supported description"),
          sent(Identity.class, "name available created_at updated_at default_runner_uid memory"),
          sent(
              Schedule.class,
              "name cron_schedule enabled prompt created_at updated_at history -metadata"),
          sent(Deleted.class, "success"),
          sent(
              Factory.class,
              "name alias? description? team_uid default_environment? default_model? avatar_url?"
                  + " agent_defaults credential_strategy code_forge scorer_defaults scoring"
                  + " created_at updated_at"),
          sent(FactoryPage.class, "page_info"),
          sent(DispatchedRun.class, "factory_uid foreman_agent ticket_ref run_url"),
          sent(Problem.class, "type title status error"));

  private final Map<String, Class<?>> schemas = new TreeMap<>();

  private static Map.Entry<Class<?>, Set<String>> sent(Class<?> type, String members) {
    return Map.entry(type, Set.of(members.split(" ")));
  }

  /// Adds the schemas of all records that were referred to so far, and of those within them.
  void addTo(ObjectNode all) {
    // A schema may refer to others, so this is repeated until there is no new one.
    while (all.size() < schemas.size()) {
      for (var name : List.copyOf(schemas.keySet())) {
        if (!all.has(name)) {
          all.set(name, schema(Optional.ofNullable(schemas.get(name)).orElseThrow()));
        }
      }
    }
  }

  private JsonNode schema(Class<?> type) {
    var schema = ServiceJson.newObject().put("type", "object");
    var properties = schema.putObject("properties");
    var required = new ArrayList<String>();
    for (var component : type.getRecordComponents()) {
      name(component)
          .ifPresent(
              name -> {
                var sent = SENT.getOrDefault(type, Set.of());
                var isNullable = isNullable(component) && isAlwaysWritten(component);
                var member = member(component.getGenericType());
                properties.set(
                    name, isNullable || sent.contains(name + "?") ? orNull(member) : member);
                if (isNullable
                    || sent.contains(name)
                    || sent.contains(name + "?")
                    || (isRequired(component) && !sent.contains("-" + name))) {
                  required.add(name);
                }
              });
    }
    if (!required.isEmpty()) {
      required.forEach(schema.putArray("required")::add);
    }
    return schema;
  }

  /// The name in JSON; empty for a component that holds the unknown members.
  private static Optional<String> name(RecordComponent component) {
    return Optional.ofNullable(component.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value);
  }

  private static boolean isNullable(RecordComponent component) {
    return component.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static boolean isAlwaysWritten(RecordComponent component) {
    return includes(component, JsonInclude.Include.ALWAYS);
  }

  private static boolean isRequired(RecordComponent component) {
    return !isNullable(component) && !includes(component, JsonInclude.Include.NON_EMPTY);
  }

  private static boolean includes(RecordComponent component, JsonInclude.Include when) {
    var inclusion = component.getAccessor().getAnnotation(JsonInclude.class);
    return inclusion != null && inclusion.value() == when;
  }

  /// The schema of a member that may be null.
  private static JsonNode orNull(JsonNode member) {
    var schema = (ObjectNode) member;
    var type = schema.path("type").asText();
    schema.putArray("type").add(type).add("null");
    return schema;
  }

  private JsonNode member(Type type) {
    if (type instanceof ParameterizedType generic) {
      var raw = (Class<?>) generic.getRawType();
      var last = generic.getActualTypeArguments()[generic.getActualTypeArguments().length - 1];
      var schema = ServiceJson.newObject();
      if (Map.class.isAssignableFrom(raw)) {
        schema.put("type", "object").set("additionalProperties", member(last));
      } else {
        schema.put("type", "array").set("items", member(last));
      }
      return schema;
    }
    return type instanceof Class<?> simple ? of(simple) : ServiceJson.newObject();
  }

  /// A schema of a body or a member; a record becomes a reference.
  ObjectNode of(Class<?> type) {
    var schema = ServiceJson.newObject();
    if (type == String.class) {
      return schema.put("type", "string");
    }
    if (type == Instant.class) {
      return schema.put("type", "string").put("format", "date-time");
    }
    if (type == Boolean.class || type == boolean.class) {
      return schema.put("type", "boolean");
    }
    if (type == Integer.class || type == int.class || type == Long.class || type == long.class) {
      return schema.put("type", "integer");
    }
    if (Number.class.isAssignableFrom(type) || type == double.class) {
      return schema.put("type", "number");
    }
    if (type.isEnum()) {
      return schema.put("type", "string");
    }
    if (!type.isRecord()) {
      return schema;
    }
    // A record with one unnamed component, such as a state, is represented by its value.
    var components = type.getRecordComponents();
    var isValue = components.length == 1 && name(components[0]).isEmpty();
    return isValue ? (ObjectNode) member(components[0].getGenericType()) : reference(type);
  }

  private ObjectNode reference(Class<?> type) {
    schemas.put(type.getSimpleName(), type);
    return ServiceJson.newObject().put("$ref", "#/components/schemas/" + type.getSimpleName());
  }
}
