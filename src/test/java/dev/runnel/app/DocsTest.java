package dev.runnel.app;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// The documents lead where they say.
class DocsTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)(?: \"[^\"]*\")?\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");
  private static final Pattern CODE = Pattern.compile("(?ms)^ {0,3}```.*?^ {0,3}```|`[^`\\n]+`");

  private static List<Path> documents() throws IOException {
    try (var root = Files.list(Path.of("."));
        var docs = Files.walk(Path.of("docs"))) {
      return Stream.concat(root, docs)
          .filter(it -> it.toString().endsWith(".md"))
          .map(Path::normalize)
          .sorted()
          .toList();
    }
  }

  /// The anchors of a document, as GitHub makes them.
  private static Set<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(CODE.matcher(Files.readString(document)).replaceAll(it -> plain(it.group())))
        .results()
        .map(
            it ->
                it.group(1)
                    .strip()
                    .toLowerCase(Locale.ROOT)
                    .replaceAll("[^\\p{L}\\p{N} _-]", "")
                    .replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  /// Code in a heading is a part of it; a block of code has no headings.
  private static String plain(String code) {
    return code.startsWith("`") && !code.startsWith("```")
        ? java.util.regex.Matcher.quoteReplacement(code.replace("`", ""))
        : "";
  }

  @Test
  void everyLinkLeadsToAnExistingFileAndHeading() throws IOException {
    var broken = new ArrayList<String>();
    for (var document : documents()) {
      var text = CODE.matcher(Files.readString(document)).replaceAll("");
      for (var link : LINK.matcher(text).results().map(it -> it.group(1)).toList()) {
        if (link.matches("[a-z]+:.*")) {
          continue;
        }
        var parts = link.split("#", 2);
        var folder = document.getParent() == null ? Path.of("") : document.getParent();
        var target = parts[0].isEmpty() ? document : folder.resolve(parts[0]).normalize();
        if (!Files.exists(target)
            || (parts.length == 2
                && target.toString().endsWith(".md")
                && !anchors(target).contains(parts[1]))) {
          broken.add(document + " → " + link);
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  @Test
  void everyDecisionIsInTheIndex() throws IOException {
    var index = Files.readString(Path.of("docs/decisions/README.md"));
    try (var files = Files.list(Path.of("docs/decisions"))) {
      assertThat(files.map(it -> it.getFileName().toString()).filter(it -> it.startsWith("0")))
          .allMatch(index::contains);
    }
  }
}
