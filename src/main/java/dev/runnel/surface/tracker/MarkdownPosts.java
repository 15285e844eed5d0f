package dev.runnel.surface.tracker;

import dev.runnel.core.model.Binding;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.core.text.AnswerChoices;
import dev.runnel.core.text.EvidenceTexts;
import dev.runnel.core.text.RunTexts;
import dev.runnel.core.text.StopTexts;
import dev.runnel.surface.markdown.Markdown;
import dev.runnel.text.Truncation;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders updates as Markdown comments within the tracker's limits, including the invisible
/// marker. Pure.
public final class MarkdownPosts {
  private static final int MAX_TITLE = 150;
  private static final int MAX_LINE = 300;
  private static final int MAX_URL = 2_000;
  private static final int MAX_LINKS = 10;
  private static final int MAX_LISTED = 30;
  private static final Pattern LOGIN =
      Pattern.compile("[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_-])?");

  private final String label;
  private final String mention;
  private final Dialect dialect;

  /// The differences between trackers.
  ///
  /// @param longest the maximum length of a comment, in characters
  /// @param slashCommands whether the tracker, or bots there, run a line that begins with a slash
  ///   as a command
  /// @param frontMatter whether the tracker takes a `---` at the start of a comment for front
  ///   matter; the marker is then at the start
  /// @param ping renders a person's name as a mention that notifies them
  /// @param length the length of Markdown as the tracker counts it
  public record Dialect(
      int longest,
      boolean slashCommands,
      boolean frontMatter,
      Function<Actor, String> ping,
      ToIntFunction<String> length) {
    /// For trackers where an `@` before the id is a mention.
    public Dialect(int longest, boolean slashCommands, boolean frontMatter) {
      this(longest, slashCommands, frontMatter, MarkdownPosts::called, String::length);
    }

    /// For trackers without front matter.
    public Dialect(int longest, boolean slashCommands, Function<Actor, String> ping) {
      this(longest, slashCommands, false, ping, String::length);
    }

    /// The same with another measure of length, for trackers that store comments in another format.
    public Dialect measuring(ToIntFunction<String> length) {
      return new Dialect(longest, slashCommands, frontMatter, ping, length);
    }

    public Dialect(int longest, boolean slashCommands) {
      this(longest, slashCommands, false);
    }
  }

  public MarkdownPosts(TrackerSettings settings, Dialect dialect) {
    this.label = settings.label();
    this.mention = "@" + settings.mention();
    this.dialect = dialect;
  }

  public String render(Update update, NoticeId id) {
    return switch (update) {
      case Update.Status status -> post(id, statusHead(status), "", statusTail(status));
      case Update.Still(var status) -> post(id, statusHead(status), "", statusTail(status));
      case Update.Blocked blocked ->
          post(
              id,
              "✋ %s, the agent needs an answer:"
                  .formatted(dialect.ping().apply(blocked.requester())),
              question(blocked.question()),
              line(howToAnswer(blocked.question()), session(blocked.run()).orElse("")));
      case Update.QuestionClosed closed ->
          post(
              id,
              closed
                  .by()
                  .map(by -> "✅ **Answered** by " + named(by))
                  .orElse("✋ **No longer asked**"),
              question(closed.question()),
              closed
                  .answer()
                  .map(text -> Markdown.inertLine(text, MAX_LINE))
                  .filter(text -> !text.isEmpty())
                  .map(text -> "> " + text)
                  .orElse(""));
      case Update.Succeeded succeeded ->
          post(
              id,
              "",
              succeeded
                  .run()
                  .message()
                  .filter(text -> !text.isBlank())
                  .orElse("*The agent finished without an answer.*"),
              paragraphs(
                  links(succeeded.run()),
                  evidence(succeeded.run()),
                  line(
                      RunTexts.emoji(RunState.SUCCEEDED) + " for " + named(succeeded.requester()),
                      "took "
                          + RunTexts.elapsed(
                              succeeded.run().elapsed(succeeded.since(), succeeded.at())),
                      succeeded
                          .run()
                          .cost()
                          .map(cost -> "cost " + Markdown.plain(cost, MAX_LINE))
                          .orElse(""),
                      session(succeeded.run()).orElse("")),
                  "Comment `%s …` to continue.".formatted(mention)));
      case Update.Failed failed ->
          post(
              id,
              headline(
                  RunState.FAILED,
                  "Failed",
                  title(failed.run()),
                  "for " + named(failed.requester())),
              failed.why(),
              paragraphs(
                  links(failed.run()),
                  evidence(failed.run()),
                  session(failed.run()).orElse(""),
                  nextStep(failed)));
      case Update.Cancelled(Run run, Actor requester, Optional<StopRequest> stop, var unread) ->
          post(
              id,
              headline(RunState.CANCELLED, "Stopped", title(run), "for " + named(requester)),
              "",
              paragraphs(
                  links(run),
                  stop.map(it -> StopTexts.requested(it, named(it.by()), StopTexts::utc))
                      .orElse(""),
                  unread(unread),
                  unread.isEmpty()
                      ? ""
                      : "To send %s, comment `%s …` with the same words."
                          .formatted(unread.size() == 1 ? "it" : "them", mention),
                  "Comment `%1$s …` to continue, or `%1$s retry` to start again."
                      .formatted(mention)));
      case Update.Reminder reminder ->
          post(
              id,
              "✋ %s, still waiting for your answer (%s):"
                  .formatted(
                      dialect.ping().apply(reminder.requester()),
                      RunTexts.elapsed(Duration.between(reminder.asked(), reminder.at()))),
              question(reminder.question()),
              howToAnswer(reminder.question()));
      case Update.FileMade _ -> throw new IllegalArgumentException("A tracker takes no files");
      case Update.Message(_, String text, _) -> post(id, "", text, "");
      case Update.Listed(_, var runs, var listing) ->
          post(id, listed(runs, listing) + MarkdownInfoCards.left(listing, mention), "", "");
      case Update.Answered(_, var infoCard) ->
          post(id, MarkdownInfoCards.markdown(infoCard, mention), "", "");
      case Update.Helped _ -> post(id, help(), "", "");
      case Update.Screened _ -> throw new IllegalArgumentException("A tracker shows no forms");
      case Update.Received _ ->
          throw new IllegalArgumentException("A message status is a reaction, not a comment");
    };
  }

  /// The question, with its choices numbered, so that a number is an answer.
  private static String question(String text) {
    var choices = AnswerChoices.of(text);
    return choices.choices().isEmpty() ? text : paragraphs(choices.question(), choices.numbered());
  }

  private String howToAnswer(String question) {
    return AnswerChoices.of(question).choices().isEmpty()
        ? "Comment `%s …` to answer.".formatted(mention)
        : "Comment `%1$s 1` to choose by number, or `%1$s …` to answer in other words."
            .formatted(mention);
  }

  /// A sentence about messages that no agent has read; empty if all were read.
  public static String unread(List<String> words) {
    return words.isEmpty() ? "" : StopTexts.unread(words, each -> Markdown.plain(each, MAX_LINE));
  }

  private String nextStep(Update.Failed failed) {
    if (failed.run().isOverBudget()) {
      return "";
    }
    var text =
        failed.retryable()
            ? "Another try may work: comment `%1$s retry`. Or comment `%1$s …` to say what to do"
                + " differently."
            : "Retrying as is will probably fail again. Comment `%1$s …` to say what to do"
                + " differently, or `%1$s retry`.";
    return text.formatted(mention);
  }

  private static String statusHead(Update.Status status) {
    var run = status.run();
    return paragraphs(
        headline(run.state(), word(run), title(run, status.request())),
        line(
            "for " + named(status.requester()),
            RunTexts.elapsed(run.elapsed(status.since(), status.at())),
            session(run).orElse("")),
        links(run));
  }

  private String statusTail(Update.Status status) {
    var run = status.run();
    if (run.state().isTerminal()) {
      return "";
    }
    return paragraphs(
        status
            .stop()
            .map(it -> "**Stopping…** " + StopTexts.requested(it, named(it.by()), StopTexts::utc))
            .orElse(""),
        run.message()
            .map(text -> Markdown.inertLine(text, MAX_LINE))
            .filter(text -> !text.isEmpty() && !run.state().needsPerson())
            .map(text -> "> " + text)
            .orElse(""),
        "<sub>Comment `%1$s …` to steer it, `%1$s stop` to stop it.</sub>".formatted(mention));
  }

  /// Assembles a comment; if it is too long, the text from others is cut.
  private String post(NoticeId id, String head, String words, String tail) {
    var marker = Marker.of(id);
    var room =
        dialect.longest() - length(head) - length(tail) - marker.length() - 3 * "\n\n".length();
    var text = fitting(words, room);
    return dialect.frontMatter()
        ? paragraphs(marker, head, text, tail)
        : paragraphs(head, text, tail, marker);
  }

  private String fitting(String words, int room) {
    var note =
        "\n\n*The rest was cut off here: a comment has at most %,d characters.*"
            .formatted(dialect.longest());
    var source = Truncation.head(words.strip(), dialect.longest());
    var text = Markdown.inert(source, dialect.slashCommands());
    var length = length(text);
    if (length <= room && source.length() == words.strip().length()) {
      return text;
    }
    var left = room - length(note);
    while (length > left && !source.isEmpty()) {
      // A character may count as several, so this cuts in proportion.
      var excess = Math.ceilDiv((long) (length - left) * source.length(), (long) length);
      source = Truncation.head(source, Math.max(0, source.length() - (int) excess));
      text = Markdown.inert(source, dialect.slashCommands());
      length = length(text);
    }
    return text + note;
  }

  private int length(String markdown) {
    return dialect.length().applyAsInt(markdown);
  }

  private String listed(List<Binding> runs, Optional<Update.Listing> listing) {
    if (runs.isEmpty()) {
      return listing.filter(Update.Listing::filtered).isPresent()
          ? "There are no such runs."
          : "There are no runs here yet. `%s PROMPT` starts one.".formatted(mention);
    }
    var left = runs.size() - MAX_LISTED;
    return Stream.concat(
            runs.stream()
                .limit(MAX_LISTED)
                .map(
                    each ->
                        "- "
                            + line(
                                headline(
                                    each.run().state(),
                                    word(each.run()),
                                    title(each.run(), each.request())),
                                "for " + named(each.requester()),
                                link(each.conversation().key(), each.origin().link()),
                                session(each.run()).orElse(""))),
            left > 0 ? Stream.of("- … and " + left + " more") : Stream.of())
        .collect(Collectors.joining("\n"));
  }

  private String help() {
    return """
    **What you can do** in a comment, at the beginning of a line

    | you write | Runnel does |
    |---|---|
    | `%1$s fix the flaky test` | start a run with this issue as background, or pass your words on to its run |
    | `%1$s stop` | stop the run |
    | `%1$s status` | say how it is going |
    | `%1$s retry` | start again with the same words |
    | `%1$s new: write the docs` | start a second run here |
    | `%1$s plan: move the cart` | make a plan, and change nothing until somebody approves it |
    | `%1$s interrupt: not that file` | let a working agent read this at once |
    | `%1$s schedule every monday at 9:00 check the build` | start runs at these times; `again in 2 weeks` repeats the request |
    | `%1$s list`, `config`, `usage` | show the runs, the defaults, what it cost |
    | `%1$s help`, `help VERB` | show this, or all about one verb |

    `/%2$s` works like `%1$s`. The label `%3$s` on an issue starts a run too, `%3$s:NAME` one with the \
    profile NAME. Options go before or after the prompt, each with a value: \
    `--profile` `--env` `--model` `--skill` `--name` `--title` `--factory`.\
    """
        .formatted(mention, mention.substring(1), label);
  }

  /// What Runnel observed of the run, besides the agent's text; empty if that is unknown.
  private static String evidence(Run run) {
    return paragraphs(
        run.evidence().flatMap(EvidenceTexts::mismatch).map(it -> "⚠️ **" + it + "**").orElse(""),
        run.evidence()
            .flatMap(EvidenceTexts::line)
            .map(it -> "<sub>" + Markdown.plain(it, MAX_LINE) + "</sub>")
            .orElse(""));
  }

  private static String links(Run run) {
    var links =
        run.artifacts().stream()
            .map(each -> link(label(each), Optional.of(each.link())))
            .filter(each -> !each.isEmpty())
            .collect(Collectors.toCollection(ArrayList::new));
    for (var file : run.files()) {
      var name = Markdown.plain(file.name(), MAX_TITLE);
      var linked = link(file.name(), RunTexts.session(run));
      links.add("File: " + (linked.isEmpty() ? name : linked));
    }
    var left = links.size() - MAX_LINKS;
    return Stream.concat(
            links.stream().limit(MAX_LINKS),
            left > 0 ? Stream.of("… and " + left + " more") : Stream.of())
        .map(each -> "- " + each)
        .collect(Collectors.joining("\n"));
  }

  private static String label(Artifact artifact) {
    return (artifact.label().isBlank()
            ? (artifact.pullRequest() ? "Pull request" : "Open")
            : artifact.label())
        + artifact.state().map(state -> " · " + state.word()).orElse("");
  }

  private static Optional<String> session(Run run) {
    return Optional.of(link("Open run", RunTexts.session(run))).filter(link -> !link.isEmpty());
  }

  private static String link(String words, Optional<URI> target) {
    return target
        .map(URI::toASCIIString)
        .filter(url -> url.startsWith("https://") || url.startsWith("http://"))
        .filter(url -> url.length() <= MAX_URL)
        .map(url -> "[%s](<%s>)".formatted(Markdown.plain(words, MAX_TITLE), url))
        .orElse("");
  }

  private static String headline(RunState state, String word, String... more) {
    return line(
        Stream.concat(Stream.of(RunTexts.emoji(state) + " **" + word + "**"), Stream.of(more))
            .toArray(String[]::new));
  }

  private static String title(Run run) {
    return Markdown.plain(run.title(), MAX_TITLE);
  }

  private static String title(Run run, Request request) {
    var title = title(run);
    return title.isEmpty() ? Markdown.plain(request.text(), MAX_TITLE) : title;
  }

  private static String word(Run run) {
    return Markdown.plain(RunTexts.name(run), MAX_TITLE);
  }

  /// The person's name, without a mention.
  private static String named(Actor actor) {
    return Markdown.plain(actor.name(), MAX_TITLE);
  }

  /// A mention of the person.
  private static String called(Actor actor) {
    return LOGIN.matcher(actor.id()).matches() ? "@" + actor.id() : named(actor);
  }

  private static String line(String... parts) {
    return Stream.of(parts).filter(each -> !each.isEmpty()).collect(Collectors.joining(" · "));
  }

  /// Joins the parts that are not blank as paragraphs.
  public static String paragraphs(String... parts) {
    return Stream.of(parts).filter(each -> !each.isBlank()).collect(Collectors.joining("\n\n"));
  }
}
