package dev.runnel.surface.linear;

import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.text.Sha256;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/// Linear's ids, and the references to posts built from them: `comment/ID`, `session/ID`. An issue
/// is identified by its id, because its visible key, `ENG-7`, changes when it moves to another
/// team.
final class LinearId {
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_-]{0,63}");
  private static final String COMMENT = "comment/";
  private static final String SESSION = "session/";

  private LinearId() {}

  static boolean isValid(String text) {
    return FORM.matcher(text).matches();
  }

  static PostRef comment(String id) {
    return new PostRef(COMMENT + id);
  }

  /// All activities of a session count as one post.
  static PostRef session(String id) {
    return new PostRef(SESSION + id);
  }

  static Optional<String> comment(PostRef ref) {
    return idAfter(COMMENT, ref);
  }

  static Optional<String> session(PostRef ref) {
    return idAfter(SESSION, ref);
  }

  private static Optional<String> idAfter(String prefix, PostRef ref) {
    return Optional.of(ref.value())
        .filter(value -> value.startsWith(prefix))
        .map(value -> value.substring(prefix.length()))
        .filter(LinearId::isValid);
  }

  /// A version 4 style UUID, the same for each attempt to post a notice: Linear accepts ids chosen
  /// by the caller, so that a second attempt finds the result of the first.
  static String of(NoticeId notice) {
    var bytes = ByteBuffer.wrap(Sha256.of(notice.value()));
    var high = (bytes.getLong() & ~0xF000L) | 0x4000L;
    var low = (bytes.getLong() & 0x3FFFFFFFFFFFFFFFL) | 0x8000000000000000L;
    return new UUID(high, low).toString();
  }
}
