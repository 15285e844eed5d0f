package dev.runnel.core.deliver;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.conversation.FileContent;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.port.AgentRuns;
import dev.runnel.core.port.Surface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Uploads the files that agents hand over, within the limits. Posts which files are not uploaded,
/// and why.
///
/// @param runs must withhold files with secrets
public record FileDelivery(AgentRuns runs, FileLimits limits) {
  private static final Logger log = LoggerFactory.getLogger(FileDelivery.class);
  private static final long MEGABYTE = 1 << 20;

  /// Whether there is nothing to post about the file: the surface takes no files, uploads are off,
  /// or too many files precede it.
  boolean isObsolete(Surface surface, Notice notice) {
    return notice.update() instanceof Update.FileMade made
        && (limits.extensions().isEmpty()
            || made.number() > limits.count() + 1
            || !surface.files().accepts(notice.conversation()));
  }

  /// The result of an attempt.
  sealed interface Result {
    record Sent(Posting posting) implements Result {}

    /// The run service cannot provide the content now; nothing was posted.
    record Unread(Optional<Duration> retryAfter, String why) implements Result {}
  }

  Result post(Surface surface, Notice notice, Update.FileMade made) {
    var reason = reasonToSkip(surface, notice, made);
    return reason.<Result>map(Result.Sent::new).orElseGet(() -> fetched(surface, notice, made));
  }

  private Result fetched(Surface surface, Notice notice, Update.FileMade made) {
    return switch (runs.content(made.file(), limits.bytes())) {
      case FileContent.Read(var copy) -> new Result.Sent(uploaded(surface, notice, copy));
      case FileContent.Withheld(var why) -> new Result.Sent(withheld(surface, notice, made, why));
      case FileContent.Later(var after, var why) -> new Result.Unread(after, why);
    };
  }

  private static Posting uploaded(Surface surface, Notice notice, Path copy) {
    try {
      return surface.files().upload(notice, copy);
    } finally {
      try {
        Files.deleteIfExists(copy);
      } catch (IOException e) {
        log.warn("copy of a file not deleted file={} why={}", copy, e.toString());
      }
    }
  }

  /// Posts why the file is not uploaded; empty if it may be uploaded.
  private Optional<Posting> reasonToSkip(Surface surface, Notice notice, Update.FileMade made) {
    var file = made.file();
    if (made.number() > limits.count()) {
      return Optional.of(
          postText(
              surface,
              notice,
              made,
              "More files are not uploaded: the limit is %d per run.".formatted(limits.count())));
    }
    if (file.withheld()) {
      return Optional.of(withheld(surface, notice, made, "it contains a secret"));
    }
    if (!limits.allowsType(file.extension())) {
      return Optional.of(withheld(surface, notice, made, "files of this type are not uploaded"));
    }
    return file.size() > limits.bytes()
        ? Optional.of(withheld(surface, notice, made, tooLarge()))
        : Optional.empty();
  }

  private String tooLarge() {
    return "it is larger than %d MB".formatted(Math.max(1, limits.bytes() / MEGABYTE));
  }

  private Posting withheld(Surface surface, Notice notice, Update.FileMade made, String why) {
    var name = made.file().name().replace('`', '\'');
    return postText(surface, notice, made, "I did not upload `%s`: %s.".formatted(name, why));
  }

  private static Posting postText(
      Surface surface, Notice notice, Update.FileMade made, String text) {
    return surface.post(notice.withUpdate(new Update.Message(made.requester(), text, false)), null);
  }
}
