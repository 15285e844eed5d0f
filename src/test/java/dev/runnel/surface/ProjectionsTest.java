package dev.runnel.surface;

import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.json.Projection;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// A member of a payload that a class reads and the projection leaves out is never there, and
/// nothing else would notice.
class ProjectionsTest {
  private static final Path SURFACES = Path.of("src/main/java/dev/runnel/surface");

  /// `path("login")`, `has("login")`, `Json.text(user, "login")`.
  private static final Pattern NAME_READ =
      Pattern.compile(
          "(?:\\.(?:path|has|get)\\(|\\b(?:Json\\.\\w+|JiraSite\\.time|PullRequestEvent\\.commit)"
              + "\\([^;\"]{1,80}?,\\s*|\\bString [A-Z_]+ = )\"(?<name>[A-Za-z_.]+)\"");

  /// What else the constants of these classes hold.
  private static final Set<String> NO_MEMBERS =
      Set.of(
          "action_run_failure",
          "assign",
          "failure",
          "issue_comment",
          "issues",
          "label",
          "pipeline",
          "pull_request_rejected",
          "workitem.commented",
          "workitem.created",
          "workitem.deleted",
          "workitem.updated");

  @ParameterizedTest
  @CsvSource({
    "github/GitHub,     GitHubCommentEvents CommentKind AuthorPolicy CodeQuote"
        + " GitHubPullRequestNeeds",
    "gitea/Gitea,       GiteaPullRequestNeeds",
    "gitlab/GitLab,     GitLabPullRequestNeeds",
    "jira/Jira,         JiraSite",
    "linear/Linear,     ''",
    "azure/Azure,       Identity"
  })
  void everyMemberThatPayloadClassesReadIsInTheProjection(String tracker, String others)
      throws Exception {
    var folder = SURFACES.resolve(tracker.substring(0, tracker.indexOf('/')));
    var payloads = SURFACES.resolve(tracker + "Payloads.java");
    var files =
        Stream.concat(
            Stream.of(payloads),
            Arrays.stream(others.split(" "))
                .filter(name -> !name.isEmpty())
                .map(name -> folder.resolve(name + ".java")));
    var projection = projection(payloads);
    var left = new TreeSet<String>();
    for (var file : files.toList()) {
      NAME_READ
          .matcher(Files.readString(file))
          .results()
          .map(it -> it.group("name"))
          .filter(name -> projection.member(name) == null)
          .forEach(left::add);
    }

    left.removeAll(NO_MEMBERS);
    assertThat(left).isEmpty();
  }

  private static Projection projection(Path payloads) throws Exception {
    var name =
        payloads.toString().replace("src/main/java/", "").replace(".java", "").replace('/', '.');
    var field = Class.forName(name).getDeclaredField("READ");
    field.setAccessible(true);
    return (Projection) field.get(null);
  }
}
