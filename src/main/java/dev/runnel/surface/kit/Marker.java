package dev.runnel.surface.kit;

import dev.runnel.core.model.NoticeId;
import java.util.regex.Pattern;

/// The invisible last line of every post of Runnel. By it a post is known as ours, whoever's token
/// it was made with, and one made just before a crash is found again.
public final class Marker {
  // At the start of a line: quoted by somebody else it is behind a ">".
  private static final Pattern OURS = Pattern.compile("(?m)^<!-- runnel:");
  private static final Pattern UNFIT = Pattern.compile("[^A-Za-z0-9_.-]");

  private Marker() {}

  public static String of(NoticeId id) {
    return "<!-- runnel:notice=" + UNFIT.matcher(id.value()).replaceAll("_") + " -->";
  }

  public static boolean isIn(String comment) {
    return OURS.matcher(comment).find();
  }
}
