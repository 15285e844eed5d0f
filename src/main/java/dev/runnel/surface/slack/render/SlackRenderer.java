package dev.runnel.surface.slack.render;

import static dev.runnel.surface.slack.render.SlackBlocks.actions;
import static dev.runnel.surface.slack.render.SlackBlocks.button;
import static dev.runnel.surface.slack.render.SlackBlocks.section;

import com.slack.api.model.block.ContextBlock;
import com.slack.api.model.block.LayoutBlock;
import com.slack.api.model.block.element.BlockElement;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.Actor;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.StopRequest;
import dev.runnel.core.text.EvidenceTexts;
import dev.runnel.core.text.RunTexts;
import dev.runnel.surface.slack.model.AnswerFile;
import dev.runnel.surface.slack.model.SlackActionIds;
import dev.runnel.surface.slack.model.SlackConfig;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.text.Truncation;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Renders updates as posts within Slack's limits. Pure.
public final class SlackRenderer {
  /// Slack recommends at most 4,000 characters and rejects more in an edit.
  static final int MAX_TEXT = 3_900;

  /// For a section; Slack's limit is 3,000.
  static final int MAX_SECTION = 2_900;

  // All blocks of a message together may have about 13,200 characters.
  private static final int MAX_SECTIONS = 3;
  private static final int MAX_LINKS_COUNT = 10;
  private static final int MAX_LINKS = 2_000;
  private static final int MAX_CONTEXT = 1_900;
  private static final int MAX_TITLE = 150;
  private static final int MAX_LINE = 300;
  private static final int MAX_QUOTE = 2_000;
  private static final int MAX_URL = 2_000;
  private static final int MAX_PULL_REQUESTS = 3;
  private static final Pattern NUMBER =
      Pattern.compile("/(?:pull|pulls|merge_requests|pull-requests)/(\\d{1,9})(?:/|$)");
  // The text of one update; more could not be shown, and converting it takes time.
  private static final int MAX_SOURCE = 10_000;
  private static final String REPLY = "Reply to continue";
  private static final String IN_THE_FILE = "… The whole answer is in the file below.";

  private SlackRenderer() {}

  /// Renders the first message of a thread: the requester and the request.
  public static SlackPost request(Actor requester, Request request, SlackPost.Mark mark) {
    return new SlackPost(
        asked(requester, request),
        List.of(section(Mrkdwn.cut(asked(requester) + "\n" + quote(request), MAX_SECTION), mark)));
  }

  /// Renders the first message of a thread once its run has started: the status, and the request,
  /// which later runs in the thread read.
  public static SlackPost card(Update.Status status, SlackPost.Mark mark) {
    var post = status(status, mark);
    List<LayoutBlock> blocks = new ArrayList<>(post.blocks());
    var isWholeTitle = title(status.run(), status.request()).equals(words(status.request()));
    if (!isWholeTitle) {
      blocks.add(1, section(Mrkdwn.cut(quote(status.request()), MAX_QUOTE)));
    }
    return new SlackPost(
        Mrkdwn.cut(post.text() + "\n" + asked(status.requester(), status.request()), MAX_TEXT),
        blocks);
  }

  private static String asked(Actor requester) {
    return Mrkdwn.mention(requester) + " asked:";
  }

  private static String asked(Actor requester, Request request) {
    return Mrkdwn.cut(asked(requester) + " " + words(request), MAX_TEXT);
  }

  private static String quote(Request request) {
    return words(request).lines().map(line -> "> " + line).collect(Collectors.joining("\n"));
  }

  private static String words(Request request) {
    // Slack shows no code blocks in a quote.
    var text = Truncation.head(request.text(), MAX_SOURCE).replace("```", "");
    return Mrkdwn.cut(Mrkdwn.escape(text), MAX_QUOTE);
  }

  /// The agent's text as a file, if it is too long for the post.
  public static Optional<AnswerFile> tooLong(Update update, SlackPost.Mark mark) {
    return textOfAgent(update)
        .filter(it -> !pieces(it, isQuoted(update)).whole())
        .map(it -> AnswerFile.of(mark, it));
  }

  private static Optional<String> textOfAgent(Update update) {
    return switch (update) {
      case Update.Blocked blocked -> Optional.of(blocked.question());
      case Update.Succeeded succeeded -> succeeded.run().message();
      case Update.Failed failed -> Optional.of(failed.why());
      case Update.Status _,
          Update.Still _,
          Update.Cancelled _,
          Update.FileMade _,
          Update.QuestionClosed _,
          Update.Reminder _,
          Update.Message _,
          Update.Listed _,
          Update.Answered _,
          Update.Screened _,
          Update.Helped _,
          Update.Received _ ->
          Optional.empty();
    };
  }

  private static boolean isQuoted(Update update) {
    return update instanceof Update.Blocked;
  }

  public static SlackPost render(Update update, SlackPost.Mark mark) {
    return render(update, mark, false);
  }

  /// @param withFile whether a file below the post contains the agent's text, if it is too long
  public static SlackPost render(Update update, SlackPost.Mark mark, boolean withFile) {
    return switch (update) {
      case Update.Status status -> status(status, mark);
      case Update.Still(Update.Status status) -> status(status, mark);
      case Update.Blocked blocked -> blocked(blocked, mark, withFile);
      case Update.QuestionClosed closed -> closed(closed, mark);
      case Update.Succeeded succeeded -> succeeded(succeeded, mark, withFile);
      case Update.Failed failed -> failed(failed, mark, withFile);
      case Update.Cancelled(Run run, _, Optional<StopRequest> stop, List<String> unread) ->
          post(
              mark,
              headline(RunState.CANCELLED, "Stopped", title(run)),
              Stream.concat(stop.map(SlackStops::line).stream(), SlackStops.unread(unread).stream())
                  .toList(),
              Stream.concat(
                      SlackStops.sendThem(unread).stream(),
                      Stream.of(context("Reply to continue, or say `retry` to start again.")))
                  .toList());
      case Update.Reminder reminder -> plain(SlackStops.reminder(reminder), mark);
      case Update.Message(_, String text, boolean privately) -> {
        var words = Mrkdwn.plain(Truncation.head(text, MAX_SOURCE));
        // Where only one person reads it, a mention notifies nobody.
        yield plain(privately ? Mrkdwn.mentions(words) : words, mark);
      }
      case Update.Listed listed -> plain(SlackLists.mrkdwn(listed), mark);
      case Update.Answered(_, var infoCard) ->
          plain(SlackInfoCards.mrkdwn(infoCard), mark, SlackInfoCards.buttons(infoCard));
      case Update.Helped _ -> plain(SlackTexts.help(SlackConfig.COMMAND), mark);
      case Update.FileMade _ ->
          throw new IllegalArgumentException("A file is uploaded, not posted");
      case Update.Screened _ -> throw new IllegalArgumentException("A screen is not a post");
      case Update.Received _ ->
          throw new IllegalArgumentException("A message status is a reaction, not a post");
    };
  }

  private static SlackPost status(Update.Status status, SlackPost.Mark mark) {
    var run = status.run();
    var title = title(run, status.request());
    var elapsed = RunTexts.elapsed(run.elapsed(status.since(), status.at()));
    var headline = headline(run.state(), word(run), title);
    List<LayoutBlock> blocks = new ArrayList<>();
    blocks.add(section(headline, mark));
    blocks.add(
        context(
            "for " + Mrkdwn.mention(status.requester()),
            elapsed,
            run.environmentName()
                .or(() -> status.request().options().environment())
                .map(it -> "environment " + named(it))
                .orElse(""),
            run.model()
                .or(() -> status.request().options().model())
                .map(it -> "model " + named(it))
                .orElse(""),
            run.cost().map(SlackRenderer::named).orElse("")));
    status.stop().ifPresent(stopRequest -> blocks.add(section(SlackStops.stopping(stopRequest))));
    // A question has a post of its own.
    if (run.state().isInProgress()) {
      run.message()
          .map(it -> Mrkdwn.fromMarkdown(Mrkdwn.oneLine(it, MAX_LINE)))
          .filter(it -> !it.isBlank())
          .ifPresent(it -> blocks.add(context(it)));
    }
    blocks.addAll(links(run, false));
    var buttons = buttons(run, status.stop().isPresent());
    if (!buttons.isEmpty()) {
      blocks.add(actions(buttons));
    }
    return new SlackPost(headline + " · " + elapsed, blocks);
  }

  /// Only the buttons that apply in this state.
  private static List<BlockElement> buttons(Run run, boolean stopping) {
    List<BlockElement> buttons = new ArrayList<>();
    pullRequests(run)
        .limit(MAX_PULL_REQUESTS)
        .forEach(
            it ->
                buttons.add(
                    button("open_pull_request_" + buttons.size(), viewed(it))
                        .url(it.link().toString())
                        .build()));
    open(run).ifPresent(buttons::add);
    if (!run.state().isTerminal() && !stopping) {
      buttons.add(
          button(SlackActionIds.CANCEL_RUN, "Stop")
              .value(run.id().value())
              .style("danger")
              .build());
    }
    if (run.state() == RunState.FAILED || run.state() == RunState.CANCELLED) {
      buttons.add(retry(run));
    }
    return buttons;
  }

  static Stream<Artifact> pullRequests(Run run) {
    return run.artifacts().stream()
        .filter(Artifact::pullRequest)
        .filter(it -> isAddress(it.link().toString()));
  }

  static String viewed(Artifact pullRequest) {
    var number = NUMBER.matcher(pullRequest.link().getPath());
    return (number.find() ? "View PR #" + number.group(1) : "View PR")
        + pullRequest.state().map(state -> " (" + state.word() + ")").orElse("");
  }

  private static Optional<BlockElement> open(Run run) {
    return RunTexts.session(run)
        .map(URI::toString)
        .filter(SlackRenderer::isAddress)
        .map(url -> button("open_session", "Open").url(url).build());
  }

  private static boolean isAddress(String url) {
    return url.startsWith("http") && url.length() <= MAX_URL;
  }

  private static BlockElement retry(Run run) {
    return button(SlackActionIds.RETRY_RUN, "Retry").value(run.id().value()).build();
  }

  private static String named(String name) {
    return Mrkdwn.escape(Mrkdwn.oneLine(name, MAX_TITLE));
  }

  private static SlackPost blocked(Update.Blocked blocked, SlackPost.Mark mark, boolean withFile) {
    return post(
        mark,
        "✋ %s, the agent needs an answer:".formatted(Mrkdwn.mention(blocked.requester())),
        Optional.of(blocked.question())
            .filter(it -> !it.isBlank())
            .map(SlackQuestions::text)
            .map(it -> words(it, true, blocked.run(), withFile))
            .orElse(List.of()),
        Stream.concat(
                SlackQuestions.buttons(blocked).stream(),
                Stream.of(context("Reply here to answer.", session(blocked.run()).orElse(""))))
            .toList());
  }

  private static SlackPost closed(Update.QuestionClosed closed, SlackPost.Mark mark) {
    var question = words(SlackQuestions.text(closed.question()), true, closed.run(), false);
    return post(
        mark,
        SlackQuestions.closed(closed),
        Stream.concat(question.stream(), SlackQuestions.answer(closed).stream()).toList(),
        List.of());
  }

  private static SlackPost succeeded(
      Update.Succeeded succeeded, SlackPost.Mark mark, boolean withFile) {
    var run = succeeded.run();
    List<LayoutBlock> end = new ArrayList<>(links(run, true));
    end.addAll(evidence(run));
    end.add(
        context(
            ended(RunState.SUCCEEDED, "Finished", succeeded.requester()),
            RunTexts.elapsed(run.elapsed(succeeded.since(), succeeded.at())),
            run.cost().map(it -> Mrkdwn.escape(Mrkdwn.oneLine(it, MAX_LINE))).orElse(""),
            session(run).orElse(""),
            REPLY));
    var pieces =
        run.message()
            .filter(it -> !it.isBlank())
            .map(it -> words(it, false, run, withFile))
            .filter(it -> !it.isEmpty())
            .orElseGet(
                () ->
                    List.of(
                        run.artifacts().isEmpty() || title(run).isEmpty()
                            ? "The agent finished without an answer."
                            : "*" + title(run) + "*"));
    var post = post(mark, pieces.getFirst(), pieces.subList(1, pieces.size()), end);
    var whose = ended(RunState.SUCCEEDED, "Finished", succeeded.requester());
    return new SlackPost(
        Mrkdwn.cut(post.text(), MAX_TEXT - whose.length() - 1) + "\n" + whose, post.blocks());
  }

  /// What Runnel observed of the run, besides the agent's text.
  private static List<LayoutBlock> evidence(Run run) {
    List<LayoutBlock> blocks = new ArrayList<>();
    run.evidence()
        .flatMap(EvidenceTexts::mismatch)
        .ifPresent(it -> blocks.add(section("⚠️ *" + Mrkdwn.escape(it) + "*")));
    run.evidence()
        .flatMap(EvidenceTexts::line)
        .ifPresent(it -> blocks.add(context(Mrkdwn.escape(Mrkdwn.oneLine(it, MAX_LINE)))));
    return blocks;
  }

  private static SlackPost failed(Update.Failed failed, SlackPost.Mark mark, boolean withFile) {
    List<LayoutBlock> end = new ArrayList<>(links(failed.run(), true));
    end.addAll(evidence(failed.run()));
    if (!failed.run().isOverBudget()) {
      end.add(
          context(
              failed.retryable()
                  ? "Another try may work."
                  : "Retrying as is will probably fail again.",
              REPLY));
    }
    List<BlockElement> buttons = new ArrayList<>(List.of(retry(failed.run())));
    open(failed.run()).ifPresent(buttons::add);
    end.add(actions(buttons));
    return post(
        mark,
        headline(RunState.FAILED, "Failed", failed.requester(), title(failed.run())),
        failed.why().isBlank() ? List.of() : words(failed.why(), false, failed.run(), withFile),
        end);
  }

  private static SlackPost plain(String mrkdwn, SlackPost.Mark mark) {
    return plain(mrkdwn, mark, List.of());
  }

  private static SlackPost plain(String mrkdwn, SlackPost.Mark mark, List<LayoutBlock> end) {
    var split = Mrkdwn.split(mrkdwn, MAX_SECTION, MAX_SECTIONS);
    var pieces = new ArrayList<>(split.pieces());
    if (!split.whole() || pieces.isEmpty()) {
      pieces.add("…");
    }
    return post(mark, pieces.removeFirst(), pieces, end);
  }

  /// @param parts each fits into a section
  private static SlackPost post(
      SlackPost.Mark mark, String headline, List<String> parts, List<LayoutBlock> end) {
    List<LayoutBlock> blocks = new ArrayList<>();
    blocks.add(section(headline, mark));
    parts.forEach(part -> blocks.add(section(part)));
    blocks.addAll(end);
    var text = Stream.concat(Stream.of(headline), parts.stream()).collect(Collectors.joining("\n"));
    return new SlackPost(Mrkdwn.cut(text, MAX_TEXT), blocks);
  }

  /// The agent's text, as far as it fits.
  private static List<String> words(String markdown, boolean isQuoted, Run run, boolean withFile) {
    var split = pieces(markdown, isQuoted);
    if (split.whole()) {
      return split.pieces();
    }
    List<String> pieces =
        new ArrayList<>(withFile ? split.pieces().stream().limit(1).toList() : split.pieces());
    pieces.add(
        withFile
            ? IN_THE_FILE
            : RunTexts.session(run)
                .map(it -> "… " + Mrkdwn.link(it, "Read the rest in the run"))
                .orElse("… The rest did not fit here."));
    return pieces;
  }

  private static Mrkdwn.Pieces pieces(String markdown, boolean isQuoted) {
    var mrkdwn = Mrkdwn.fromMarkdown(Truncation.head(markdown, MAX_SOURCE));
    // Slack shows no code blocks in a quote.
    var shown =
        isQuoted && !mrkdwn.contains("```")
            ? mrkdwn
                .lines()
                .map(line -> line.startsWith(">") ? line : "> " + line)
                .collect(Collectors.joining("\n"))
            : mrkdwn;
    var split = Mrkdwn.split(shown, MAX_SECTION, MAX_SECTIONS);
    return new Mrkdwn.Pieces(split.pieces(), split.whole() && markdown.length() <= MAX_SOURCE);
  }

  /// @param all also the pull requests that have buttons
  private static List<LayoutBlock> links(Run run, boolean all) {
    var withButtons = all ? List.of() : pullRequests(run).limit(MAX_PULL_REQUESTS).toList();
    var shown = run.artifacts().stream().filter(it -> !withButtons.contains(it)).toList();
    if (shown.isEmpty()) {
      return List.of();
    }
    var lines =
        shown.stream().limit(MAX_LINKS_COUNT).map(it -> "• " + Mrkdwn.link(it.link(), label(it)));
    var left = shown.size() - MAX_LINKS_COUNT;
    var text =
        Stream.concat(lines, left > 0 ? Stream.of("… and " + left + " more.") : Stream.of())
            .collect(Collectors.joining("\n"));
    return List.of(section(Mrkdwn.cut(text, MAX_LINKS)));
  }

  private static String label(Artifact artifact) {
    var label = Mrkdwn.oneLine(artifact.label(), MAX_TITLE);
    return (label.isEmpty() ? (artifact.pullRequest() ? "Pull request" : "Open") : label)
        + artifact.state().map(state -> " · " + state.word()).orElse("");
  }

  private static Optional<String> session(Run run) {
    return RunTexts.session(run).map(it -> Mrkdwn.link(it, "Open run"));
  }

  private static String headline(RunState state, String word, String title) {
    return RunTexts.emoji(state) + " *" + word + "*" + (title.isEmpty() ? "" : " · " + title);
  }

  private static String headline(RunState state, String word, Actor requester, String title) {
    return ended(state, word, requester) + (title.isEmpty() ? "" : " · " + title);
  }

  /// Names the person, who is notified only if mentioned.
  private static String ended(RunState state, String word, Actor requester) {
    return "%s *%s* for %s".formatted(RunTexts.emoji(state), word, Mrkdwn.mention(requester));
  }

  private static String title(Run run) {
    return Mrkdwn.escape(Mrkdwn.oneLine(run.title(), MAX_TITLE));
  }

  private static String title(Run run, Request request) {
    var title = title(run);
    return title.isEmpty() ? Mrkdwn.escape(Mrkdwn.oneLine(request.text(), MAX_TITLE)) : title;
  }

  private static String word(Run run) {
    return Mrkdwn.escape(Mrkdwn.oneLine(RunTexts.name(run), MAX_TITLE));
  }

  private static ContextBlock context(String... parts) {
    var line = Stream.of(parts).filter(it -> !it.isEmpty()).collect(Collectors.joining(" · "));
    return SlackBlocks.context(Mrkdwn.cut(line, MAX_CONTEXT));
  }
}
