package dev.runnel.console.numbers;

import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/// A plot with one column per day, as rectangles of an SVG of [#WIDTH] by [#HEIGHT]. Colours are
/// classes of the style sheet, so that both themes have theirs.
///
/// Public because the templates are in another package.
///
/// @param title the title
/// @param top the value of the highest line, for people
/// @param bars from the left and from below
/// @param labels of the days
/// @param legend names of the kinds; empty for a plot of one kind
public record Plot(
    String title, String top, List<Bar> bars, List<Label> labels, List<Kind> legend) {
  public static final int WIDTH = 600;
  public static final int HEIGHT = 140;
  private static final int LABELS = 6;
  private static final DateTimeFormatter DAY = DateTimeFormatter.ofPattern("d MMM", Locale.ENGLISH);

  /// @param tip the tooltip
  public record Bar(String x, String y, String width, String height, String kind, String tip) {}

  public record Label(String x, String text) {}

  /// @param css the class
  public record Kind(String css, String name) {}

  /// A column: the values of its parts from below.
  ///
  /// @param tips one per value
  record Column(LocalDate day, List<Double> values, List<String> tips) {
    double sum() {
      return values.stream().mapToDouble(Double::doubleValue).sum();
    }
  }

  /// Whether there is nothing to show.
  public boolean isEmpty() {
    return bars.isEmpty();
  }

  /// @param isStacked whether the parts of a column add up; else they stand side by side
  /// @param topWords the highest value for people
  static Plot of(
      String title,
      List<Column> columns,
      List<Kind> kinds,
      boolean isStacked,
      DoubleFunction<String> topWords) {
    double top =
        columns.stream()
            .mapToDouble(
                it ->
                    isStacked
                        ? it.sum()
                        : it.values().stream().mapToDouble(Double::doubleValue).max().orElse(0))
            .max()
            .orElse(0);
    if (top <= 0) {
      return new Plot(title, "", List.of(), List.of(), List.of());
    }
    var bars = new ArrayList<Bar>();
    var labels = new ArrayList<Label>();
    double step = (double) WIDTH / columns.size();
    int every = Math.max(1, (columns.size() + LABELS - 1) / LABELS);
    for (int i = 0; i < columns.size(); i++) {
      var column = columns.get(i);
      if (i % every == 0) {
        labels.add(new Label(number(i * step), DAY.format(column.day())));
      }
      double below = 0;
      int parts = isStacked ? 1 : column.values().size();
      double width = step * 0.8 / parts;
      for (int part = 0; part < column.values().size(); part++) {
        double height = column.values().get(part) / top * HEIGHT;
        if (height <= 0) {
          continue;
        }
        bars.add(
            new Bar(
                number(i * step + (isStacked ? 0 : part * width)),
                number(HEIGHT - (isStacked ? below : 0) - height),
                number(width),
                number(height),
                kinds.get(part).css(),
                DAY.format(column.day()) + ": " + column.tips().get(part)));
        below += height;
      }
    }
    return new Plot(title, topWords.apply(top), bars, labels, kinds.size() > 1 ? kinds : List.of());
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
