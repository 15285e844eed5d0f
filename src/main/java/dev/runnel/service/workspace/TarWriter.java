package dev.runnel.service.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;

/// Writes a tar archive: folders, files and symbolic links, without owners. Names that do not fit
/// into a header, or are not ASCII, go into a header of their own, as POSIX says (`pax`).
final class TarWriter implements AutoCloseable {
  static final int BLOCK = 512;

  /// Where the fields of a header begin.
  static final int NAME = 0;

  static final int MODE = 100;
  static final int SIZE = 124;
  static final int TIME = 136;
  static final int SUM = 148;
  static final int TYPE = 156;
  static final int LINK = 157;
  static final int MAGIC = 257;

  /// The lengths of fields, for texts and numbers.
  static final int NAME_LENGTH = 100;

  static final int MODE_LENGTH = 8;
  static final int NUMBER_LENGTH = 12;

  static final char FILE = '0';
  static final char SYMBOLIC_LINK = '2';
  static final char FOLDER = '5';
  static final char MORE = 'x';

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

  /// @param size in bytes; a content that is shorter is filled up with zeros, a longer one cut
  /// @throws IOException also if the file is of 8 GiB or more
  void file(String name, boolean isExecutable, Instant changed, long size, InputStream content)
      throws IOException {
    if (size > MAX_SIZE) {
      throw new IOException("The file is too large for an archive: " + name);
    }
    header(name, FILE, isExecutable ? 0700 : 0600, size, changed, "");
    var buffer = new byte[1 << 16];
    var left = size;
    while (left > 0) {
      var read = content.read(buffer, 0, (int) Math.min(buffer.length, left));
      if (read < 0) {
        break;
      }
      out.write(buffer, 0, read);
      left -= read;
    }
    Arrays.fill(buffer, (byte) 0);
    left += padding(size);
    while (left > 0) {
      var some = (int) Math.min(buffer.length, left);
      out.write(buffer, 0, some);
      left -= some;
    }
  }

  /// Writes the end of the archive, and closes what it is written to.
  @Override
  public void close() throws IOException {
    out.write(new byte[2 * BLOCK]);
    out.close();
  }

  /// The number of bytes that fill the last block of a content.
  static int padding(long size) {
    return (int) ((BLOCK - size % BLOCK) % BLOCK);
  }

  /// The sum of a header's bytes, with spaces in place of the sum.
  static int sum(byte[] header) {
    var sum = 0;
    for (int i = 0; i < BLOCK; i++) {
      sum += i >= SUM && i < SUM + MODE_LENGTH ? ' ' : header[i] & 0xFF;
    }
    return sum;
  }

  private void header(String name, char type, int mode, long size, Instant changed, String link)
      throws IOException {
    var more = record("path", name) + record("linkpath", link);
    if (!more.isEmpty()) {
      var content = more.getBytes(StandardCharsets.UTF_8);
      out.write(block("more", MORE, 0600, content.length, Instant.EPOCH, ""));
      out.write(content);
      out.write(new byte[padding(content.length)]);
    }
    out.write(block(name, type, mode, size, changed, link));
  }

  /// @return empty if the text fits into a header
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
    text(block, SUM, MODE_LENGTH, "%06o\0 ".formatted(sum(block)));
    return block;
  }

  private static void text(byte[] block, int at, int most, String text) {
    var bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, block, at, Math.min(bytes.length, most));
  }
}
