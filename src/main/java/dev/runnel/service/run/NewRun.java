package dev.runnel.service.run;

import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.json.Projection;
import dev.runnel.wire.Attachment;
import dev.runnel.wire.CreateRun;
import dev.runnel.wire.RunItem;
import dev.runnel.wire.RunMode;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A validated request for a run.
///
/// @param config the configuration as sent, with the skill and its name filled in; unknown members
///   are kept for clients that know them
/// @param identityUid the agent identity to execute the run as
/// @param onBehalfOf e-mail or id of the person for whom the run is created
/// @param rest the other request members: `team`, `interactive`, and those unknown to this version
/// @param resolved the defaults for members that the configuration leaves out: see
///   [dev.runnel.service.execution.ConfigResolution]
@RecordBuilder
public record NewRun(
    String prompt,
    String title,
    Optional<ObjectNode> config,
    Map<String, String> metadata,
    Optional<String> conversationId,
    Optional<String> parentRunId,
    RunMode mode,
    Optional<String> identityUid,
    Optional<String> onBehalfOf,
    List<Picture> attachments,
    ObjectNode rest,
    ObjectNode resolved)
    implements NewRunBuilder.With {
  private static final String DATA = "data";
  private static final int MAX_METADATA = 20;
  private static final int MAX_METADATA_VALUE = 256;
  private static final int MAX_IDLE_MINUTES = 60;
  private static final int MAX_ATTACHMENTS = 5;
  private static final Set<String> IMAGE_TYPES =
      Set.of("image/jpeg", "image/png", "image/gif", "image/webp");
  private static final Set<RunMode> MODES =
      Set.of(RunMode.NORMAL, RunMode.PLAN, RunMode.ORCHESTRATE);
  private static final Pattern METADATA_KEY = Pattern.compile("[a-zA-Z0-9._-]{1,64}");

  /// Response members that only the service sets; ignored in requests.
  private static final Set<String> READ_ONLY_MEMBERS =
      Stream.concat(ServiceJson.members(RunItem.class).stream(), Stream.of("run_url"))
          .collect(Collectors.toUnmodifiableSet());

  private static final Projection FILES = Projection.allWith(Map.of(DATA, Projection.BASE64));

  /// How the body of a request is read: pictures become bytes while they arrive.
  public static final Projection PARTS =
      Projection.allWith(Map.of("attachments", FILES, "images", FILES));

  /// In place of the data of a picture whose bytes are known.
  private static final String TAKEN = "AA==";

  // The configuration is passed in one environment variable, which the kernel limits to 128 KiB.
  private static final int MAX_CONFIG = 64 * 1024;

  /// A picture that comes with the prompt.
  ///
  /// @param content not encoded
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Picture(String fileName, String mimeType, byte[] content) {}

  public NewRun {
    metadata = Map.copyOf(metadata);
    attachments = List.copyOf(attachments);
  }

  /// @param body is changed: the data of its pictures is taken out
  /// @throws RequestProblem if the body does not describe a valid run
  public static NewRun parse(ObjectNode body) {
    var contents = takeContents(body);
    var request = ServiceJson.convert(body, CreateRun.class);
    var config = config(request, body.get("config") instanceof ObjectNode node ? node : null);
    var prompt = request.prompt() == null ? "" : request.prompt();
    var skill = config.map(node -> skill(node)).orElse("");
    var conversation = present(request.conversationId());
    if (prompt.isBlank() && skill.isBlank() && conversation.isEmpty()) {
      throw RequestProblem.invalid(
          "A run needs a prompt, unless a skill is named or a conversation is continued");
    }
    if (prompt.indexOf('\0') >= 0) {
      throw RequestProblem.invalid("The prompt contains a NUL character");
    }
    if (present(request.agentIdentityUid()).isPresent() && Boolean.FALSE.equals(request.team())) {
      throw RequestProblem.invalid("Only a run of the team can name agent_identity_uid");
    }
    var metadata = request.metadata() == null ? Map.<String, String>of() : request.metadata();
    check(metadata);
    return new NewRun(
        prompt,
        present(request.title()).orElseGet(() -> Title.of(prompt.isBlank() ? skill : prompt)),
        config,
        metadata,
        conversation,
        present(request.parentRunId()),
        checkMode(request.mode()),
        present(request.agentIdentityUid()),
        present(request.onBehalfOf()),
        pictures(request, contents),
        rest(request),
        ServiceJson.newObject());
  }

  /// Adds defaults for members that the configuration leaves out.
  public NewRun withDefaults(ObjectNode defaults) {
    var merged = defaults.deepCopy();
    if (config.map(own -> !skill(own).isBlank()).orElse(false)) {
      merged.remove(List.of("skill_spec", "skills"));
    }
    config.ifPresent(merged::setAll);
    setSkillSpec(merged);
    return withConfig(Optional.of(merged));
  }

  /// Takes the bytes of the pictures, so that they are in memory once. The oldest official client
  /// library sends pictures as `images`, without file names.
  private static List<byte[]> takeContents(ObjectNode body) {
    var contents = new ArrayList<byte[]>();
    for (var list : List.of("attachments", "images")) {
      for (var file : body.path(list)) {
        if (file.path(DATA) instanceof BinaryNode data) {
          contents.add(data.binaryValue());
          ((ObjectNode) file).put(DATA, TAKEN);
        }
      }
    }
    return contents;
  }

  private static List<Picture> pictures(CreateRun request, List<byte[]> contents) {
    var attachments = new ArrayList<Attachment>();
    if (request.attachments() != null) {
      attachments.addAll(request.attachments());
    }
    var images = request.more().getOrDefault("images", MissingNode.getInstance());
    if (!images.isArray() && !images.isMissingNode() && !images.isNull()) {
      throw RequestProblem.invalid("A member of the body has the wrong type: images");
    }
    for (var image : images) {
      var type = image.path("mime_type").asText("");
      attachments.add(
          ServiceJson.convert(
              ServiceJson.newObject()
                  .put(
                      "file_name",
                      "image-%d.%s".formatted(attachments.size() + 1, fileExtension(type)))
                  .put("mime_type", type)
                  .put(DATA, image.path(DATA).asText("")),
              Attachment.class));
    }
    if (attachments.size() > MAX_ATTACHMENTS) {
      throw RequestProblem.invalid("A run takes at most 5 attachments");
    }
    var pictures = new ArrayList<Picture>();
    for (var attachment : attachments) {
      if (!IMAGE_TYPES.contains(attachment.mimeType())) {
        throw RequestProblem.invalid("Attachments must be images: jpeg, png, gif or webp");
      }
      if (!attachment.data().equals(TAKEN) || pictures.size() == contents.size()) {
        throw RequestProblem.invalid("The data of an attachment must be Base64");
      }
      pictures.add(
          new Picture(attachment.fileName(), attachment.mimeType(), contents.get(pictures.size())));
    }
    return pictures;
  }

  private static String fileExtension(String mimeType) {
    return mimeType.substring(mimeType.indexOf('/') + 1);
  }

  private static ObjectNode rest(CreateRun request) {
    var rest = ServiceJson.newObject();
    rest.setAll(request.more());
    rest.remove("images");
    rest.remove(READ_ONLY_MEMBERS);
    if (request.team() != null) {
      rest.put("team", request.team());
    }
    if (request.interactive() != null) {
      rest.put("interactive", request.interactive());
    }
    return rest;
  }

  /// Sets `skill_spec` to the first of `skills`, as responses show it.
  private static void setSkillSpec(ObjectNode config) {
    var spec = skill(config);
    if (!spec.isBlank() && !config.hasNonNull("skill_spec")) {
      config.put("skill_spec", spec);
    }
  }

  private static String skill(ObjectNode config) {
    return config.path("skill_spec").asText(config.path("skills").path(0).asText(""));
  }

  private static Optional<ObjectNode> config(CreateRun request, @Nullable ObjectNode sent) {
    var skill = present(request.skill());
    if (sent == null && skill.isEmpty()) {
      return Optional.empty();
    }
    var config = sent == null ? ServiceJson.newObject() : sent.deepCopy();
    skill.ifPresent(spec -> config.put("skill_spec", spec));
    if (config.hasNonNull("skill_spec") && config.hasNonNull("skills") && skill.isEmpty()) {
      throw RequestProblem.invalid("Give either skill_spec or skills");
    }
    var spec = skill(config);
    setSkillSpec(config);
    if (!spec.isBlank() && config.path("name").asText("").isBlank()) {
      config.put("name", skillName(spec));
    }
    checkIdle(request);
    if (config.toString().length() > MAX_CONFIG) {
      throw RequestProblem.invalid("The configuration is longer than 64 KiB");
    }
    return Optional.of(config);
  }

  /// The name of a skill: the part after the colon for `owner/repo:skill-name`, the folder for
  /// `owner/repo:path/to/SKILL.md`.
  static String skillName(String spec) {
    var path = spec.substring(spec.indexOf(':') + 1).replaceAll("/SKILL\\.md$", "");
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static void checkIdle(CreateRun request) {
    var minutes = request.config() == null ? null : request.config().idleTimeoutMinutes();
    if (minutes != null && (minutes < 0 || minutes > MAX_IDLE_MINUTES)) {
      throw RequestProblem.invalid("idle_timeout_minutes must be a number from 0 to 60");
    }
  }

  public static RunMode checkMode(@Nullable RunMode mode) {
    var wanted = mode == null ? RunMode.NORMAL : mode;
    if (!MODES.contains(wanted)) {
      throw RequestProblem.invalid("mode must be normal, plan or orchestrate");
    }
    return wanted;
  }

  /// Checks the metadata of a run, including entries inherited from its parent.
  public static void check(Map<String, String> metadata) {
    if (metadata.size() > MAX_METADATA) {
      throw RequestProblem.invalid("metadata contains more than 20 entries");
    }
    metadata.forEach(
        (key, value) -> {
          if (!isMetadataKey(key)) {
            throw RequestProblem.invalid(
                "A metadata key is 1 to 64 of the characters a-z A-Z 0-9 . _ -");
          }
          if (value == null
              || value.getBytes(StandardCharsets.UTF_8).length > MAX_METADATA_VALUE
              || value.indexOf('\0') >= 0) {
            throw RequestProblem.invalid(
                "The metadata value of " + key + " must be text of at most 256 bytes");
          }
        });
  }

  public static boolean isMetadataKey(String key) {
    return METADATA_KEY.matcher(key).matches();
  }

  private static Optional<String> present(@Nullable String text) {
    return Optional.ofNullable(text).filter(value -> !value.isBlank());
  }
}
