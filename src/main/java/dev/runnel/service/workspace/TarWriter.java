package dev.runnel.service.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/// Writes a tar archive: folders, files and symbolic links, without owners. Names that do not fit
/// into a header or are not ASCII are written to an extended header (POSIX `pax`).
final class TarWriter implements AutoCloseable {
  static final int BLOCK = 512;

  /// The offsets of the fields of a header.
  static final int NAME = 0;

  static final int MODE = 100;
  static final int SIZE = 124;
  static final int TIME = 136;
  static final int CHECKSUM = 148;
  static final int TYPE = 156;
  static final int LINK = 157;
  static final int MAGIC = 257;

  /// The lengths of the fields of a header.
  static final int NAME_LENGTH = 100;

  static final int MODE_LENGTH = 8;
  static final int NUMBER_LENGTH = 12;

  static final char FILE = '0';
  static final char SYMBOLIC_LINK = '2';
  static final char FOLDER = '5';
  static final char PAX_HEADER = 'x';

  private static final long MAX_SIZE = (1L << 33) - 1;

  private final OutputStream out;

  TarWriter(OutputStream out) {
    this.out = out;
  }

  void folder(String name) throws IOException {
    header(name, FOLDER, 0700, 0, Instant.EPOCH, "");
  }

  void link(String name, String target) throws IOException {
    header(name, SYMBOLIC_LINK, 0777, 0, Instant.EPOCH, target);
  }

  /// @param size in bytes; shorter content is padded with zeros, longer content is truncated
  /// @throws IOException if writing fails, or the file has 8 GiB or more
  void file(String name, boolean isExecutable, Instant changed, long size, InputStream content)
      throws IOException {
    if (size > MAX_SIZE) {
      throw new IOException("The file is too large for an archive: " + name);
    }
    header(name, FILE, isExecutable ? 0700 : 0600, size, changed, "");
    var buffer = new byte[1 << 16];
    var remaining = size;
    while (remaining > 0) {
      var read = content.read(buffer, 0, (int) Math.min(buffer.length, remaining));
      if (read < 0) {
        break;
      }
      out.write(buffer, 0, read);
      remaining -= read;
    }
    Arrays.fill(buffer, (byte) 0);
    remaining += padding(size);
    while (remaining > 0) {
      var count = (int) Math.min(buffer.length, remaining);
      out.write(buffer, 0, count);
      remaining -= count;
    }
  }

  /// Writes the end of the archive, and closes the stream.
  @Override
  public void close() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.close();
  }

  /// The number of padding bytes after content of this size.
  static int padding(long size) {
    return (int) ((BLOCK - size % BLOCK) % BLOCK);
  }

  /// The checksum of a header: the sum of its bytes, with spaces in the checksum field.
  static int checksum(byte[] header) {
    var checksum = 0;
    for (int i = 0; i < BLOCK; i++) {
      checksum += i >= CHECKSUM && i < CHECKSUM + MODE_LENGTH ? ' ' : header[i] & 0xFF;
    }
    return checksum;
  }

  private void header(String name, char type, int mode, long size, Instant changed, String link)
      throws IOException {
    var paxHeader = record("path", name) + record("linkpath", link);
    if (!paxHeader.isEmpty()) {
      var content = paxHeader.getBytes(StandardCharsets.UTF_8);
      out.write(block("more", PAX_HEADER, 0600, content.length, Instant.EPOCH, ""));
      out.write(content);
      out.write(new byte[padding(content.length)]);
    }
    out.write(block(name, type, mode, size, changed, link));
  }

  /// @return an extended header record; empty if the text fits into a header
  private static String record(String key, String text) {
    if (text.length() < NAME_LENGTH && text.chars().allMatch(each -> each > 0 && each < 128)) {
      return "";
    }
    var rest = " " + key + "=" + text + "\n";
    var bytes = rest.getBytes(StandardCharsets.UTF_8).length;
    // The number of bytes includes its own digits.
    var length = bytes + Integer.toString(bytes).length();
    length = bytes + Integer.toString(length).length();
    return length + rest;
  }

  private static byte[] block(
      String name, char type, int mode, long size, Instant changed, String link) {
    var block = new byte[BLOCK];
    text(block, NAME, NAME_LENGTH, name);
    text(block, MODE, MODE_LENGTH, "%07o".formatted(mode));
    text(block, MODE + MODE_LENGTH, MODE_LENGTH, "0000000");
    text(block, MODE + 2 * MODE_LENGTH, MODE_LENGTH, "0000000");
    text(block, SIZE, NUMBER_LENGTH, "%011o".formatted(size));
    var seconds = Math.clamp(changed.getEpochSecond(), 0, MAX_SIZE);
    text(block, TIME, NUMBER_LENGTH, "%011o".formatted(seconds));
    block[TYPE] = (byte) type;
    text(block, LINK, NAME_LENGTH, link);
    text(block, MAGIC, MODE_LENGTH, "ustar\00000");
    text(block, CHECKSUM, MODE_LENGTH, "%06o\0 ".formatted(checksum(block)));
    return block;
  }

  private static void text(byte[] block, int at, int maxLength, String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, block, at, Math.min(bytes.length, maxLength));
  }
}
