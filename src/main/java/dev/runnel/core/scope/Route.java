package dev.runnel.core.scope;

import dev.runnel.core.model.WholeWords;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// A rule of the operator that chooses options of a run by the content of its request. Pure.
///
/// The description of an issue is not considered, because strangers could choose the environment of
/// a run by it.
///
/// @param words words and phrases, of which the request or the title of its issue must contain one;
///   empty for any text
/// @param labels labels, of which the issue must have one; empty for any issue and any thread
/// @param places places, of which one must contain the conversation; empty for everywhere
/// @param options the chosen options, by the keys of [Defaults]
public record Route(
    List<String> words, List<String> labels, List<String> places, Map<String, String> options) {
  public Route {
    words = List.copyOf(words);
    labels = List.copyOf(labels);
    places = List.copyOf(places);
    options = Map.copyOf(options);
  }

  /// Why the rule applies, in words for people; empty if it does not apply.
  Optional<String> reason(Request request, Conversation conversation, Snapshot about) {
    var text = request.text() + "\n" + about.title().orElse("");
    var word = words.stream().filter(each -> WholeWords.contains(text, each)).findFirst();
    var label =
        labels.stream()
            .filter(each -> about.labels().stream().anyMatch(each::equalsIgnoreCase))
            .findFirst();
    var place =
        places.stream().filter(each -> ConversationScope.isIn(conversation, each)).findFirst();
    if ((word.isEmpty() && !words.isEmpty())
        || (label.isEmpty() && !labels.isEmpty())
        || (place.isEmpty() && !places.isEmpty())) {
      return Optional.empty();
    }
    return Optional.of(
        Stream.of(
                word.map(it -> "the word `" + it + "`"),
                label.map(it -> "the label `" + it + "`"),
                place.map(it -> "the place `" + it + "`"))
            .flatMap(Optional::stream)
            .collect(Collectors.joining(", ")));
  }
}
