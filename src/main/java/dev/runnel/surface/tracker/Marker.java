package dev.runnel.surface.tracker;

import dev.runnel.core.model.conversation.NoticeId;
import java.util.regex.Pattern;

/// The invisible last line of each of Runnel's posts, or the first on trackers with front matter.
/// It identifies a post as Runnel's, whichever token posted it, and finds a post made just before a
/// crash.
public final class Marker {
  // At the start of a line: in a quote by somebody else it follows a ">".
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
