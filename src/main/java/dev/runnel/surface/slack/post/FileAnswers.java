package dev.runnel.surface.slack.post;

import com.slack.api.model.Message;
import dev.runnel.core.model.Notice;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackPages;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.AnswerFile;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.render.SlackRenderer;
import java.util.ArrayList;
import java.util.Optional;

/// Posts an answer that is too long for a message: its beginning as a message, and the whole text
/// as a file below, each once. The contents are uploaded before anything is visible, so that no
/// message names a file that cannot exist. If Slack refuses the file, the message links to the
/// session instead.
record FileAnswers(SlackApi api, FileTransfer transfer) {
  private static final int MAX_PAGES = 20;

  /// The number of failed attempts after which the message is posted without the file.
  private static final int MAX_ATTEMPTS = 3;

  /// The messages and files of an earlier attempt in the thread.
  private record Found(Optional<String> message, boolean hasFile) {
    static final Found NOTHING = new Found(Optional.empty(), false);
  }

  /// @param place a thread
  /// @param oldest a timestamp before the first attempt
  /// @param inChannel whether the channel shows the message, too
  /// @return the message's timestamp
  SlackResponse<String> post(
      SlackPlace place,
      Notice notice,
      SlackPost.Mark mark,
      AnswerFile file,
      String oldest,
      boolean inChannel) {
    var found = Found.NOTHING;
    if (notice.tries() > 0) {
      switch (findEarlier(api.thread(place, oldest, null), mark, file)) {
        case SlackResponse.Ok<Found>(Found earlier) -> found = earlier;
        case SlackResponse.Wait<Found> wait -> {
          return wait.as();
        }
        // Without permission to search, a duplicate post is better than none.
        case SlackResponse.No<Found> _ -> {}
      }
    }
    if (found.message().isPresent() && found.hasFile()) {
      return new SlackResponse.Ok<>(found.message().get());
    }
    return switch (upload(file)) {
      case SlackResponse.Ok<String>(String id) ->
          withFile(place, notice, mark, file, found, id, inChannel);
      case SlackResponse.Wait<String> wait when notice.tries() < MAX_ATTEMPTS -> wait;
      case SlackResponse.Wait<String> _, SlackResponse.No<String> _ ->
          withoutFile(place, notice, mark, found, inChannel);
    };
  }

  private SlackResponse<String> upload(AnswerFile file) {
    var bytes = file.bytes();
    return api.beginUpload(file.name(), bytes.length)
        .flatMap(upload -> transfer.send(upload.address(), bytes).map(_ -> upload.id()));
  }

  private SlackResponse<String> withFile(
      SlackPlace place,
      Notice notice,
      SlackPost.Mark mark,
      AnswerFile file,
      Found found,
      String id,
      boolean inChannel) {
    SlackResponse<String> posted =
        found
            .message()
            .<SlackResponse<String>>map(SlackResponse.Ok::new)
            .orElseGet(
                () ->
                    api.post(
                        place.channel(),
                        place.thread(),
                        SlackRenderer.render(notice.update(), mark, true),
                        inChannel));
    if (!(posted instanceof SlackResponse.Ok<String>(String ts))) {
      return posted;
    }
    return switch (api.share(place, id, file.title())) {
      case SlackResponse.Ok<String> _ -> posted;
      case SlackResponse.Wait<String> wait when notice.tries() < MAX_ATTEMPTS -> wait;
      case SlackResponse.Wait<String> _, SlackResponse.No<String> _ ->
          withoutFile(place, notice, mark, new Found(Optional.of(ts), false), inChannel);
    };
  }

  private SlackResponse<String> withoutFile(
      SlackPlace place, Notice notice, SlackPost.Mark mark, Found found, boolean inChannel) {
    var post = SlackRenderer.render(notice.update(), mark, false);
    if (found.message().isEmpty()) {
      return api.post(place.channel(), place.thread(), post, inChannel);
    }
    var ts = found.message().get();
    return switch (api.update(place.message(ts), post)) {
      case SlackResponse.Wait<String> wait -> wait;
      // On an error the existing post stays as it is, which is better than a duplicate.
      case SlackResponse.Ok<String> _, SlackResponse.No<String> _ -> new SlackResponse.Ok<>(ts);
    };
  }

  private static SlackResponse<Found> findEarlier(
      SlackPages pages, SlackPost.Mark mark, AnswerFile file) {
    var messages = new ArrayList<Message>();
    return pages
        .forEach(MAX_PAGES, messages::add)
        .map(
            _ ->
                new Found(
                    messages.stream()
                        .filter(mark::isOn)
                        .reduce((_, last) -> last)
                        .map(Message::getTs),
                    messages.stream().anyMatch(it -> FileUploads.hasFile(it, file.name()))));
  }
}
