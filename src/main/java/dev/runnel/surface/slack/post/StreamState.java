package dev.runnel.surface.slack.post;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.run.Artifact;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.text.RunTexts;
import dev.runnel.json.BoundedJson;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.render.Mrkdwn;
import java.net.URI;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/// The content of a stream, and what a new status adds to it: the last card is the current step,
/// the cards above it are complete.
///
/// @param plan the title above the cards
/// @param card the id of the last card
/// @param line the text of the last card
/// @param cards the number of cards
/// @param links URLs that are already shown
/// @param chunks the chunks to send, in Slack's format
record StreamState(
    String plan, String card, String line, int cards, Set<String> links, ArrayNode chunks) {
  private static final JsonMapper JSON = BoundedJson.mapper().build();

  /// Slack's limit is 256.
  private static final int MAX_LINE = 200;

  /// More would be unreadable; from then on the last card is updated.
  private static final int MAX_CARDS = 20;

  private static final int MAX_LINKS = 5;

  StreamState {
    links = Set.copyOf(links);
  }

  /// The initial content of a stream.
  ///
  /// @param mark identifies the stream, so that it can be found again
  static StreamState first(Update.Status status, SlackPost.Mark mark) {
    var chunks = JSON.createArrayNode();
    var links = links(status, Set.of());
    plan(chunks, plan(status));
    card(chunks, mark.value(), line(status), "in_progress");
    links.forEach((url, label) -> source(chunks, url, label));
    return new StreamState(plan(status), mark.value(), line(status), 1, links.keySet(), chunks);
  }

  /// @return the next state; `news` is empty when nothing changed
  StreamState next(Update.Status status) {
    var chunks = JSON.createArrayNode();
    var planNow = plan(status);
    if (!planNow.equals(plan)) {
      plan(chunks, planNow);
    }
    var lineNow = line(status);
    var isNew = !lineNow.equals(line);
    var added = isNew && cards < MAX_CARDS;
    var cardNow = added ? id(status.run(), lineNow) : card;
    if (added) {
      card(chunks, card, line, "complete");
    }
    var newLinks = links(status, links);
    if (isNew || !newLinks.isEmpty()) {
      card(chunks, cardNow, lineNow, "in_progress");
      newLinks.forEach((url, label) -> source(chunks, url, label));
    }
    var shown = new HashSet<>(links);
    shown.addAll(newLinks.keySet());
    return new StreamState(planNow, cardNow, lineNow, added ? cards + 1 : cards, shown, chunks);
  }

  private static String id(Run run, String line) {
    return SlackPost.Mark.of(run.id() + "\n" + line).value();
  }

  private static String plan(Update.Status status) {
    return withoutMentions(SlackStatusLine.title(status));
  }

  private static String line(Update.Status status) {
    if (status.stop().isPresent()) {
      return "Stopping";
    }
    if (status.run().state() == RunState.QUEUED) {
      return "Setting up";
    }
    return status
        .run()
        .message()
        .map(it -> withoutMentions(Mrkdwn.oneLine(it, MAX_LINE)))
        .filter(it -> !it.isBlank())
        .orElse("Working");
  }

  /// Replaces angle brackets, so that the text cannot contain a mention.
  private static String withoutMentions(String text) {
    return text.replace('<', '‹').replace('>', '›');
  }

  private static Map<String, String> links(Update.Status status, Set<String> known) {
    var links = new LinkedHashMap<String, String>();
    RunTexts.session(status.run()).ifPresent(it -> add(links, it, "Open run", known));
    for (Artifact artifact : status.run().artifacts()) {
      add(links, artifact.link(), artifact.label(), known);
    }
    return links;
  }

  private static void add(Map<String, String> links, URI address, String label, Set<String> known) {
    var url = address.toString();
    if (url.startsWith("http") && !known.contains(url) && known.size() + links.size() < MAX_LINKS) {
      var text = withoutMentions(Mrkdwn.oneLine(label, MAX_LINE));
      links.put(url, text.isBlank() ? "Open" : text);
    }
  }

  private static void plan(ArrayNode chunks, String title) {
    chunks.addObject().put("type", "plan_update").put("title", title.isBlank() ? "Run" : title);
  }

  private static void card(ArrayNode chunks, String id, String line, String status) {
    chunks
        .addObject()
        .put("type", "task_update")
        .put("id", id)
        .put("title", line)
        .put("status", status);
  }

  /// Adds a link to the last card in the chunks.
  private static void source(ArrayNode chunks, String url, String label) {
    var card = (ObjectNode) chunks.get(chunks.size() - 1);
    Optional.ofNullable((ArrayNode) card.get("sources"))
        .orElseGet(() -> card.putArray("sources"))
        .addObject()
        .put("type", "url")
        .put("url", url)
        .put("text", label);
  }
}
