package dev.runnel.surface.slack.post;

import com.slack.api.model.Message;
import dev.runnel.core.model.Notice;
import dev.runnel.surface.slack.api.Answer;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackPages;
import dev.runnel.surface.slack.model.AnswerFile;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.render.SlackRenderer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Posts what is too long for a message: its beginning as a message, and all of it as a file below,
/// each once. The file's bytes are with Slack before anything is seen, so that no message names a
/// file that cannot be there; a file that Slack refuses is replaced by the link to the session.
final class LongAnswers {
  private static final int MOST_PAGES = 20;

  /// How often a file is tried to be sent before the message goes without it.
  private static final int PATIENCE = 3;

  private final SlackApi api;
  private final FileTransfer transfer;
  private final SlackRenderer renderer;

  LongAnswers(SlackApi api, FileTransfer transfer, SlackRenderer renderer) {
    this.api = api;
    this.transfer = transfer;
    this.renderer = renderer;
  }

  /// What an earlier try has left in the thread.
  private record Found(Optional<String> message, boolean hasFile) {
    static final Found NOTHING = new Found(Optional.empty(), false);
  }

  /// @param place a thread
  /// @param oldest a timestamp before the first try
  /// @return the message's timestamp
  Answer<String> post(
      SlackPlace place, Notice notice, SlackPost.Mark mark, AnswerFile file, String oldest) {
    var found = Found.NOTHING;
    if (notice.tries() > 0) {
      switch (look(api.thread(place, oldest, null), mark, file)) {
        case Answer.Ok<Found>(Found seen) -> found = seen;
        case Answer.Wait<Found>(Optional<Duration> after, String why) -> {
          return new Answer.Wait<>(after, why);
        }
        // Without the right to look, a second post is better than none.
        case Answer.No<Found> _ -> {}
      }
    }
    if (found.message().isPresent() && found.hasFile()) {
      return new Answer.Ok<>(found.message().get());
    }
    return switch (upload(file)) {
      case Answer.Ok<String>(String id) -> withFile(place, notice, mark, file, found, id);
      case Answer.Wait<String>(Optional<Duration> after, String why)
          when notice.tries() < PATIENCE ->
          new Answer.Wait<>(after, why);
      case Answer.Wait<String> _, Answer.No<String> _ -> withoutFile(place, notice, mark, found);
    };
  }

  private Answer<String> upload(AnswerFile file) {
    var bytes = file.bytes();
    return switch (api.beginUpload(file.name(), bytes.length)) {
      case Answer.Ok<SlackApi.Upload>(SlackApi.Upload upload) ->
          transfer.send(upload.address(), bytes).map(_ -> upload.id());
      case Answer.Wait<SlackApi.Upload>(Optional<Duration> after, String why) ->
          new Answer.Wait<>(after, why);
      case Answer.No<SlackApi.Upload>(String error) -> new Answer.No<>(error);
    };
  }

  private Answer<String> withFile(
      SlackPlace place,
      Notice notice,
      SlackPost.Mark mark,
      AnswerFile file,
      Found found,
      String id) {
    Answer<String> posted =
        found
            .message()
            .<Answer<String>>map(Answer.Ok::new)
            .orElseGet(
                () ->
                    api.post(
                        place.channel(),
                        place.thread(),
                        renderer.render(notice.update(), mark, true)));
    if (!(posted instanceof Answer.Ok<String>(String ts))) {
      return posted;
    }
    return switch (api.share(place, id, file.title())) {
      case Answer.Ok<String> _ -> posted;
      case Answer.Wait<String>(Optional<Duration> after, String why)
          when notice.tries() < PATIENCE ->
          new Answer.Wait<>(after, why);
      case Answer.Wait<String> _, Answer.No<String> _ ->
          withoutFile(place, notice, mark, new Found(Optional.of(ts), false));
    };
  }

  private Answer<String> withoutFile(
      SlackPlace place, Notice notice, SlackPost.Mark mark, Found found) {
    var post = renderer.render(notice.update(), mark, false);
    if (found.message().isEmpty()) {
      return api.post(place.channel(), place.thread(), post);
    }
    var ts = found.message().get();
    return switch (api.update(place.message(ts), post)) {
      case Answer.Wait<String> wait -> wait;
      // It stands as it is: better than the same once more.
      case Answer.Ok<String> _, Answer.No<String> _ -> new Answer.Ok<>(ts);
    };
  }

  private static Answer<Found> look(SlackPages pages, SlackPost.Mark mark, AnswerFile file) {
    Optional<String> message = Optional.empty();
    var hasFile = false;
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < MOST_PAGES; page++) {
      switch (pages.read(cursor.orElse(null))) {
        case Answer.Ok<SlackPages.Page>(SlackPages.Page read) -> {
          for (var each : read.messages()) {
            if (SlackPost.Mark.on(each).filter(mark::equals).isPresent()) {
              message = Optional.ofNullable(each.getTs());
            }
            hasFile |= has(each, file);
          }
          cursor = read.next();
        }
        case Answer.Wait<SlackPages.Page>(Optional<Duration> after, String why) -> {
          return new Answer.Wait<>(after, why);
        }
        case Answer.No<SlackPages.Page>(String error) -> {
          return new Answer.No<>(error);
        }
      }
      if (cursor.isEmpty()) {
        break;
      }
    }
    return new Answer.Ok<>(new Found(message, hasFile));
  }

  private static boolean has(Message message, AnswerFile file) {
    return Optional.ofNullable(message.getFiles()).stream()
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .anyMatch(it -> file.name().equals(it.getName()));
  }
}
