package dev.runnel.service.workspace;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/// Reads archives of [TarWriter], entry by entry, and rejects anything else. Names and targets are
/// returned as stored, and the caller must check them.
final class TarReader {
  private static final int MAX_PAX_HEADER = 64 * 1024;
  private static final byte[] END = new byte[TarWriter.BLOCK];

  enum Kind {
    FILE,
    FOLDER,
    LINK
  }

  /// @param size of the content in bytes
  /// @param target of a symbolic link; blank otherwise
  record Entry(
      Kind kind, String name, boolean isExecutable, long size, Instant changed, String target) {}

  private final InputStream in;
  private long remaining;
  private int padding;

  TarReader(InputStream in) {
    this.in = in;
  }

  /// The next entry; empty at the end.
  ///
  /// @throws IOException if the archive contains something that [TarWriter] does not write
  Optional<Entry> next() throws IOException {
    in.skipNBytes(remaining + padding);
    remaining = 0;
    padding = 0;
    var paxRecords = Map.<String, String>of();
    while (true) {
      var header = in.readNBytes(TarWriter.BLOCK);
      if (header.length < TarWriter.BLOCK) {
        throw damaged("it ends early");
      }
      if (Arrays.equals(header, END)) {
        return Optional.empty();
      }
      if (number(header, TarWriter.CHECKSUM, TarWriter.MODE_LENGTH) != TarWriter.checksum(header)) {
        throw damaged("a header has a wrong checksum");
      }
      var size = number(header, TarWriter.SIZE, TarWriter.NUMBER_LENGTH);
      var type = (char) header[TarWriter.TYPE];
      if (type == TarWriter.PAX_HEADER) {
        if (size == 0 || !paxRecords.isEmpty()) {
          throw damaged("an entry has an empty extended header, or several");
        }
        paxRecords = readPaxRecords(size);
        continue;
      }
      return Optional.of(entry(header, type, size, paxRecords));
    }
  }

  private Entry entry(byte[] header, char type, long size, Map<String, String> paxRecords)
      throws IOException {
    var kind =
        switch (type) {
          case TarWriter.FILE -> Kind.FILE;
          case TarWriter.FOLDER -> Kind.FOLDER;
          case TarWriter.SYMBOLIC_LINK -> Kind.LINK;
          default -> throw damaged("it has an entry of the type " + (int) type);
        };
    if (kind != Kind.FILE && size != 0) {
      throw damaged("an entry that is not a file has content");
    }
    remaining = size;
    padding = TarWriter.padding(size);
    return new Entry(
        kind,
        paxRecords.getOrDefault("path", text(header, TarWriter.NAME)),
        (number(header, TarWriter.MODE, TarWriter.MODE_LENGTH) & 0100) != 0,
        size,
        Instant.ofEpochSecond(number(header, TarWriter.TIME, TarWriter.NUMBER_LENGTH)),
        kind == Kind.LINK ? paxRecords.getOrDefault("linkpath", text(header, TarWriter.LINK)) : "");
  }

  /// Reads a part of the content of the current entry.
  ///
  /// @return the number of bytes; -1 at its end
  int read(byte[] buffer) throws IOException {
    if (remaining == 0) {
      return -1;
    }
    var read = in.read(buffer, 0, (int) Math.min(buffer.length, remaining));
    if (read < 0) {
      throw damaged("it ends early");
    }
    remaining -= read;
    return read;
  }

  private Map<String, String> readPaxRecords(long size) throws IOException {
    if (size > MAX_PAX_HEADER) {
      throw damaged("an extended header is too long");
    }
    var content = in.readNBytes((int) size);
    in.skipNBytes(TarWriter.padding(size));
    var records = new HashMap<String, String>();
    var at = 0;
    while (at < content.length) {
      var space = at;
      while (space < content.length && space < at + 6 && content[space] != ' ') {
        space++;
      }
      try {
        var length = Integer.parseInt(new String(content, at, space - at, StandardCharsets.UTF_8));
        var record =
            new String(content, space + 1, at + length - space - 2, StandardCharsets.UTF_8);
        var parts = record.split("=", 2);
        records.put(parts[0], parts[1]);
        at += length;
      } catch (NumberFormatException | IndexOutOfBoundsException _) {
        throw damaged("an extended header is malformed");
      }
    }
    return records;
  }

  private static String text(byte[] header, int at) {
    var end = at;
    while (end < at + TarWriter.NAME_LENGTH && header[end] != 0) {
      end++;
    }
    return new String(header, at, end - at, StandardCharsets.UTF_8);
  }

  private static long number(byte[] header, int at, int length) throws IOException {
    var text = new String(header, at, length, StandardCharsets.US_ASCII);
    try {
      var number = Long.parseLong(text.replace('\0', ' ').strip(), 8);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException _) {
      // Reported below.
    }
    throw damaged("a number is malformed");
  }

  static IOException damaged(String why) {
    return new IOException("The archive is damaged: " + why);
  }
}
