package dev.runnel.service.store;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.Enumeration;
import java.util.NoSuchElementException;
import java.util.Optional;

/// Streams the content of an attachment from the database, so that a large one is never completely
/// in memory.
@SuppressWarnings("JdkObsolete") // SequenceInputStream requires an Enumeration
final class AttachmentPieces implements Enumeration<InputStream> {
  private final RunQueries queries;
  private final String id;
  private int number;
  private Optional<byte[]> next;

  AttachmentPieces(RunQueries queries, String id) {
    this.queries = queries;
    this.id = id;
    this.next = queries.attachmentPiece(id, 0);
  }

  @Override
  public boolean hasMoreElements() {
    return next.isPresent();
  }

  @Override
  public InputStream nextElement() {
    var piece = next.orElseThrow(() -> new NoSuchElementException("The attachment has ended"));
    next = queries.attachmentPiece(id, ++number);
    return new ByteArrayInputStream(piece);
  }
}
