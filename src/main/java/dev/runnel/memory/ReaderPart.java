package dev.runnel.memory;

/// What readers may take of their share, in eighths. Seven are given away, so that a page can be
/// made and the holder of the main key gets an answer, whatever others read.
public enum ReaderPart {
  /// What the streams of open pages remember.
  LIVE_UPDATES("live updates", 3),
  /// Long texts of the console, in pieces.
  DOWNLOADS("downloads", 1),
  /// Answers of the API.
  ANSWERS("answers of the API", 2),
  /// Files and conversations of the API, in pieces.
  PIECES("files of the API", 1);

  private static final int EIGHTHS = 8;

  private final String title;
  private final int eighths;

  ReaderPart(String title, int eighths) {
    this.title = title;
    this.eighths = eighths;
  }

  /// The most bytes that this part can take.
  public long size(Share readers) {
    return readers.size() / EIGHTHS * eighths;
  }

  /// A part that takes nothing before it is used.
  public Share.Part of(Share readers) {
    return readers.part(title, 0, size(readers));
  }
}
