package dev.runnel.service.workspace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/// Reads the skills of a repository from a commit. Files on disk are not read: a link among them
/// could lead anywhere, a path in a commit cannot.
record Skills(Git git) {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final String FILE = "SKILL.md";
  private static final List<String> FOLDERS =
      List.of(".agents/skills", ".claude/skills", ".warp/skills", ".codex/skills", "skills");
  private static final int MAX_COUNT = 200;
  private static final int MAX_CHARS = 128 * 1024;
  private static final Pattern PATH = Pattern.compile("[^/\\\\:\\p{Cntrl}][^\\\\:\\p{Cntrl}]*");

  /// Mode, type, object and path, as printed by `git ls-tree`. Links have the mode 120000 and do
  /// not match.
  private static final Pattern ENTRY =
      Pattern.compile("100(?:644|755) blob ([0-9a-f]+)\t([^\"].*)");

  /// A local repository at a commit.
  record Source(Repository repository, Path folder, String commit) {}

  private record Entry(String object, String path) {}

  /// All skills in the standard folders, including malformed ones, ordered by path.
  List<Skill> in(Source source) throws StoppedException, InterruptedException {
    var skills = new ArrayList<Skill>();
    for (var entry : entries(source, FOLDERS)) {
      if (entry.path().endsWith("/" + FILE) && skills.size() < MAX_COUNT) {
        skills.add(read(source, entry));
      }
    }
    skills.sort(Comparator.comparing(Skill::path));
    return skills;
  }

  /// Finds the skill that a run requests.
  ///
  /// @param spec `owner/repo:name`, `owner/repo:path/to/SKILL.md`, the same with `repo` alone, or
  ///   only a name, which is searched for in all repositories
  Skill find(String spec, List<Source> sources)
      throws SetupException, StoppedException, InterruptedException {
    var colon = spec.indexOf(':');
    var name = spec.substring(colon + 1).strip();
    var repository = colon < 0 ? Optional.<String>empty() : Optional.of(spec.substring(0, colon));
    var candidates =
        sources.stream()
            .filter(source -> repository.isEmpty() || source.repository().matches(repository.get()))
            .toList();
    if (candidates.isEmpty()) {
      throw new SetupException(
          "The skill %s must be in one of the environment's repositories, and %s."
              .formatted(
                  spec,
                  sources.isEmpty()
                      ? "this run has none"
                      : "none of them is " + repository.orElse("")));
    }
    if (!PATH.matcher(name).matches() || List.of(name.split("/", -1)).contains("..")) {
      throw new SetupException(
          "%s is not a skill: after the colon must be its name, or the path of its SKILL.md in the"
                  .formatted(spec)
              + " repository.");
    }
    var found = new ArrayList<Skill>();
    var names = new ArrayList<String>();
    for (var candidate : candidates) {
      if (name.contains("/") || name.endsWith(".md")) {
        for (var entry : entries(candidate, List.of(name))) {
          if (entry.path().equals(name) || entry.path().equals(name + "/" + FILE)) {
            found.add(read(candidate, entry));
          }
        }
      } else {
        for (var skill : in(candidate)) {
          names.add(skill.name());
          if (skill.name().equals(name) || skill.folder().endsWith("/" + name)) {
            found.add(skill);
          }
        }
      }
    }
    return requireUnique(spec, found, names);
  }

  private static Skill requireUnique(String spec, List<Skill> found, List<String> names)
      throws SetupException {
    if (found.isEmpty()) {
      throw new SetupException(
          "There is no skill %s.%s"
              .formatted(
                  spec,
                  names.isEmpty()
                      ? ""
                      : " There are: "
                          + String.join(", ", names.stream().distinct().toList())
                          + "."));
    }
    // Copies of a skill for several agents count as one.
    var texts = found.stream().map(Skill::basePrompt).distinct().count();
    if (texts > 1) {
      throw new SetupException(
          "Several skills are called %s; name one of these: %s."
              .formatted(spec, String.join(", ", found.stream().map(Skill::spec).toList())));
    }
    var skill = found.getFirst();
    if (skill.error().isPresent()) {
      throw new SetupException(
          "The skill %s cannot be used: %s".formatted(skill.spec(), skill.error().get()));
    }
    return skill;
  }

  private List<Entry> entries(Source source, List<String> paths)
      throws StoppedException, InterruptedException {
    var arguments = new ArrayList<>(List.of("ls-tree", "-r", "--full-tree", source.commit(), "--"));
    arguments.addAll(paths);
    return git.run(source.folder(), arguments.toArray(String[]::new))
        .output()
        .lines()
        .map(ENTRY::matcher)
        .filter(matcher -> matcher.matches())
        .map(matcher -> new Entry(matcher.group(1), matcher.group(2)))
        .toList();
  }

  private Skill read(Source source, Entry entry) throws StoppedException, InterruptedException {
    var blob = git.run(source.folder(), "cat-file", "blob", entry.object());
    var parts = entry.path().split("/", -1);
    var folder = parts.length > 1 ? parts[parts.length - 2] : source.repository().folder();
    return parse(source.repository().fullName(), entry.path(), folder, blob);
  }

  private static Skill parse(
      String repository, String path, String folder, CommandRunner.Result blob) {
    var text = blob.output().replace("\r\n", "\n");
    var name = folder;
    var description = "";
    var body = text;
    Optional<String> error = Optional.empty();
    if (blob.status() != 0) {
      error = Optional.of("it cannot be read.");
    } else if (text.length() > MAX_CHARS) {
      error = Optional.of("it is longer than 128 KiB.");
      body = "";
    } else if (text.startsWith("---\n")) {
      var end = text.indexOf("\n---", 3);
      if (end < 0) {
        error = Optional.of("its front matter has no end: a line with --- is missing.");
      } else {
        body = text.substring(Math.min(text.length(), lineEnd(text, end + 1)));
        try {
          var matter = YAML.readTree(text.substring(4, Math.max(4, end)));
          if (!matter.isObject() && !matter.isMissingNode() && !matter.isNull()) {
            error = Optional.of("its front matter has no names and values.");
          }
          name = text(matter, "name").orElse(folder);
          description = text(matter, "description").orElse("");
        } catch (JsonProcessingException e) {
          error = Optional.of("its front matter is not YAML.");
        }
      }
    }
    if (error.isEmpty() && body.isBlank()) {
      error = Optional.of("it has no text.");
    }
    return new Skill(name, description, body.strip(), repository, path, error);
  }

  private static int lineEnd(String text, int from) {
    var end = text.indexOf('\n', from);
    return end < 0 ? text.length() : end + 1;
  }

  private static Optional<String> text(JsonNode matter, String key) {
    return Optional.of(matter.path(key).asText("").strip()).filter(value -> !value.isEmpty());
  }
}
