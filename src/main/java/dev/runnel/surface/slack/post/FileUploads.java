package dev.runnel.surface.slack.post;

import com.slack.api.model.Message;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackPages;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackPlace;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Uploads files that agents handed over, each once: its name in Slack is unique, so that an
/// attempt whose result is unknown can look for it. People read the title, which is the file's own
/// name.
record FileUploads(SlackApi api, FileTransfer transfer) {
  private static final int MAX_PAGES = 20;

  /// @param place a thread
  /// @param oldest a timestamp before the first attempt
  /// @return a value without meaning
  SlackResponse<String> upload(
      SlackPlace place, Notice notice, RunFile file, byte[] bytes, String oldest) {
    var name = name(notice, file);
    if (notice.tries() > 0) {
      var found = isThere(api.thread(place, oldest, null), name);
      if (found instanceof SlackResponse.Wait<Boolean>(var after, var why)) {
        return new SlackResponse.Wait<>(after, why);
      }
      if (found instanceof SlackResponse.Ok<Boolean>(var isThere) && isThere) {
        return new SlackResponse.Ok<>(name);
      }
    }
    return switch (api.beginUpload(name, bytes.length)) {
      case SlackResponse.Ok<SlackApi.Upload>(var upload) ->
          switch (transfer.send(upload.address(), bytes)) {
            case SlackResponse.Ok<String> _ -> api.share(place, upload.id(), file.name());
            case SlackResponse<String> failed -> failed;
          };
      case SlackResponse.Wait<SlackApi.Upload>(var after, var why) ->
          new SlackResponse.Wait<>(after, why);
      case SlackResponse.No<SlackApi.Upload>(var error) -> new SlackResponse.No<>(error);
    };
  }

  /// `checkout-1a2b3c4d.png`
  private static String name(Notice notice, RunFile file) {
    var unique = notice.id().value().replaceAll("[^0-9A-Za-z]", "");
    var end = unique.substring(Math.max(0, unique.length() - 8));
    var ending = file.extension();
    return ending.isEmpty()
        ? file.name() + "-" + end
        : file.name().substring(0, file.name().length() - ending.length() - 1)
            + "-"
            + end
            + "."
            + ending;
  }

  private static SlackResponse<Boolean> isThere(SlackPages pages, String name) {
    Optional<String> cursor = Optional.empty();
    for (var page = 0; page < MAX_PAGES; page++) {
      switch (pages.read(cursor.orElse(null))) {
        case SlackResponse.Ok<SlackPages.Page>(var read) -> {
          if (read.messages().stream().anyMatch(message -> has(message, name))) {
            return new SlackResponse.Ok<>(true);
          }
          cursor = read.next();
        }
        case SlackResponse.Wait<SlackPages.Page>(var after, var why) -> {
          return new SlackResponse.Wait<>(after, why);
        }
        case SlackResponse.No<SlackPages.Page>(var error) -> {
          return new SlackResponse.No<>(error);
        }
      }
      if (cursor.isEmpty()) {
        break;
      }
    }
    return new SlackResponse.Ok<>(false);
  }

  private static boolean has(Message message, String name) {
    return Optional.ofNullable(message.getFiles()).stream()
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .anyMatch(it -> name.equals(it.getName()));
  }
}
