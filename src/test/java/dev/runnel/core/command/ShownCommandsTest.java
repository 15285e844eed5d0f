package dev.runnel.core.command;

import static java.util.function.Predicate.not;
import static org.assertj.core.api.Assertions.assertThat;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import dev.runnel.core.scope.Defaults;
import dev.runnel.core.text.AnswerFormatter;
import dev.runnel.surface.slack.model.SlackPrompts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Every text that the product or its documents show as something to send does what it says.
class ShownCommandsTest {
  /// Code spans, as in documents, messages and pages, and lines of documents' blocks of code.
  private static final Pattern SPAN =
      Pattern.compile(
          "`(?<span>[^`\n]+)`|<code>(?<html>[^<]+)</code>|^(?<line>/agent .+)$", Pattern.MULTILINE);

  private static final Pattern LEAD =
      Pattern.compile("^(?:(?<door>/agent|@agent|@mention|%1\\$s) )?(?<command>\\S.*)$");
  private static final Pattern OPTIONAL = Pattern.compile("\\[([^\\]]*)]");
  private static final Pattern ALTERNATIVES = Pattern.compile("[\\w/]+(?:\\|[\\w/]+)+");

  /// Words that stand for something, and what a person would write there.
  private static final Map<String, String> PLACEHOLDERS =
      Map.ofEntries(
          Map.entry("schedule …", "schedule in 2 weeks fix it"),
          Map.entry("again …", "again in 2 weeks"),
          Map.entry("config set …", "config set model fast"),
          Map.entry("KEY VALUE", "model fast"),
          Map.entry("KEY", "model"),
          Map.entry("PROMPT", "fix the test"),
          Map.entry("TEXT", "use the old one"),
          Map.entry("REASON", "we deploy"),
          Map.entry("WHEN", "in 2 weeks"),
          Map.entry("LINK", "https://acme.slack.com/archives/C012345/p1700000000000100"),
          Map.entry("STATE", "failed"),
          Map.entry("VERB", "list"),
          Map.entry("NAME", "opus"),
          Map.entry("RUN", "run-12"),
          Map.entry("ID", "1a2b3c4d"),
          Map.entry("%s", "fix it"),
          Map.entry("…", "fix it"));

  /// Shown as texts that are no commands.
  private static final Set<String> PROMPTS =
      Set.of(
          "list the open ports",
          "say hello",
          "say 3 things about the new checkout",
          "link a test",
          "say added …",
          "say run-time …",
          "explain the design",
          "stop using log4j");

  /// Said of a command, without what it needs.
  private static final Set<String> NAMES = Set.of("config set", "config unset");

  @ParameterizedTest
  @EnumSource(Verb.class)
  void exampleAndUsageOfAVerbAreThatCommand(Verb verb) {
    assertThat(MessageParser.words(verb.example())).hasValueSatisfying(ShownCommandsTest::isDone);
    assertThat(variants(verb.usage())).allSatisfy(ShownCommandsTest::isCommand);
    if (!Set.of(Verb.RUN, Verb.INTERRUPT).contains(verb)) {
      assertThat(variants(verb.usage())).allSatisfy(ShownCommandsTest::isNoPrompt);
      isNoPrompt(verb.example());
    }
  }

  @Test
  void suggestedPromptsOfSlackDoWhatTheirTitlesSay() {
    for (var prompt : SlackPrompts.DEFAULT.all()) {
      var intent = MessageParser.words(prompt.message()).orElseThrow();
      if (prompt.message().contains(" ") && !prompt.message().equals("list mine")) {
        assertThat(intent).isEqualTo(new Intent.Say(Request.of(prompt.message())));
      } else {
        assertThat(intent).isInstanceOfAny(Intent.Help.class, Intent.ListRuns.class);
      }
    }
  }

  @Test
  void promptsOfTheManifestAreThoseOfTheProduct() throws IOException {
    var manifest = Files.readString(Path.of("manifest.yml"));

    assertThat(SlackPrompts.DEFAULT.all())
        .allSatisfy(prompt -> assertThat(manifest).contains(prompt.message()));
  }

  static Stream<String> shown() throws IOException {
    var found = new TreeSet<String>();
    for (var root : List.of("docs", "examples", "src/main/java", "src/main/jte", "README.md")) {
      try (var files = Files.walk(Path.of(root))) {
        for (var file :
            files
                .filter(it -> it.toString().matches(".*\\.(?:md|yaml|java|jte)"))
                .filter(not(it -> it.startsWith("docs/decisions")))
                .toList()) {
          SPAN.matcher(Files.readString(file))
              .results()
              .map(it -> Stream.of(it.group(1), it.group(2), it.group(3)))
              .map(it -> it.filter(text -> text != null).findFirst().orElseThrow())
              .flatMap(ShownCommandsTest::command)
              .forEach(found::add);
        }
      }
    }
    found.removeAll(PROMPTS);
    found.removeAll(NAMES);
    return found.stream();
  }

  @ParameterizedTest
  @MethodSource("shown")
  void textThatIsShownAsACommandIsOne(String text) {
    assertThat(variants(text)).allSatisfy(ShownCommandsTest::isCommand);
  }

  @Test
  void nextStepsOfADryRunStartWhatTheySay() {
    var options =
        RunOptions.NONE.withEnvironment(Optional.of("web")).withModel(Optional.of("opus"));
    for (var request : List.of(Request.of("fix it"), new Request("list", options))) {
      var next =
          AnswerFormatter.explain(
                  request,
                  new Defaults.Resolved(request, Optional.empty(), Map.of(), Optional.empty()),
                  Optional.empty(),
                  true,
                  Optional.empty(),
                  List.of())
              .next();

      assertThat(MessageParser.command(next.getFirst().command()))
          .isEqualTo(new Intent.Start(request));
      assertThat(MessageParser.command(next.getLast().command()))
          .isEqualTo(
              new Intent.Start(new Request("explain: " + request.text(), request.options())));
    }
  }

  /// The command in a span; empty if the span is something else.
  private static Stream<String> command(String span) {
    var lead = LEAD.matcher(span.replace("\\|", "|").strip());
    if (!lead.matches()) {
      return Stream.empty();
    }
    var command = lead.group("command");
    var words = command.split("[\\s:]", 2);
    var isVerb =
        words[0].equals(words[0].toLowerCase(Locale.ROOT)) && Verb.of(words[0]).isPresent();
    // `run` alone is also a command of the command line.
    var isSent =
        isVerb && words.length > 1 && !words[1].isBlank() && !command.matches("run(?!:).*");
    return isSent && !command.contains("\"") ? Stream.of(command) : Stream.empty();
  }

  /// The text with and without its optional parts, with each alternative, and its placeholders
  /// filled in.
  private static List<String> variants(String text) {
    var variants = new ArrayList<String>();
    expand(text, variants);
    return variants;
  }

  private static void expand(String text, List<String> variants) {
    var optional = OPTIONAL.matcher(text);
    if (optional.find()) {
      expand(around(text, optional, ""), variants);
      for (var part : optional.group(1).split("\\s*\\|\\s*", -1)) {
        expand(around(text, optional, part), variants);
      }
      return;
    }
    var alternatives = ALTERNATIVES.matcher(text);
    if (alternatives.find()) {
      for (var part : alternatives.group().split("\\|", -1)) {
        expand(around(text, alternatives, part), variants);
      }
      return;
    }
    var filled = text;
    for (var each :
        PLACEHOLDERS.keySet().stream().sorted((a, b) -> b.length() - a.length()).toList()) {
      filled = filled.replace(each, PLACEHOLDERS.get(each));
    }
    variants.add(filled.strip().replaceAll("\\s+", " "));
  }

  private static String around(String text, Matcher found, String middle) {
    return text.substring(0, found.start()) + middle + text.substring(found.end());
  }

  private static void isCommand(String text) {
    assertThat(MessageParser.words(text)).hasValueSatisfying(ShownCommandsTest::isDone);
    if (!text.matches("(?s)(?:run|interrupt)\\s*:.*")) {
      isNoPrompt(text);
    }
  }

  private static void isDone(Intent intent) {
    assertThat(intent).isNotInstanceOf(Intent.Unclear.class);
  }

  private static void isNoPrompt(String text) {
    assertThat(MessageParser.words(text).orElseThrow()).isNotInstanceOf(Intent.Say.class);
  }
}
