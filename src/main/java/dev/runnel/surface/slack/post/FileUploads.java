package dev.runnel.surface.slack.post;

import com.slack.api.model.Message;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.run.RunFile;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.SlackPlace;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/// Uploads files that agents handed over, each once: its name in Slack is unique, so that a
/// repeated attempt finds it. People see the title, which is the file's own name.
record FileUploads(SlackApi api, FileTransfer transfer) {
  private static final int MAX_PAGES = 20;

  /// @param place a thread
  /// @param oldest a timestamp before the first attempt
  /// @return a meaningless value on success
  SlackResponse<String> upload(
      SlackPlace place, Notice notice, RunFile file, Path content, String oldest) {
    var name = name(notice, file);
    if (notice.tries() > 0) {
      switch (api.thread(place, oldest, null).find(MAX_PAGES, it -> hasFile(it, name))) {
        case SlackResponse.Ok<Optional<Message>>(var found) when found.isPresent() -> {
          return new SlackResponse.Ok<>(name);
        }
        case SlackResponse.Wait<Optional<Message>> wait -> {
          return wait.as();
        }
        // Without permission to search, a duplicate file is better than none.
        case SlackResponse.Ok<Optional<Message>> _, SlackResponse.No<Optional<Message>> _ -> {}
      }
    }
    return api.beginUpload(name, (int) content.toFile().length())
        .flatMap(
            upload ->
                transfer
                    .send(upload.address(), content)
                    .flatMap(_ -> api.share(place, upload.id(), file.name())));
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

  static boolean hasFile(Message message, String name) {
    return Optional.ofNullable(message.getFiles()).stream()
        .flatMap(List::stream)
        .filter(Objects::nonNull)
        .anyMatch(it -> name.equals(it.getName()));
  }
}
