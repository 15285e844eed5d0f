package dev.runnel.core.model;

import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunId;
import dev.runnel.core.model.run.RunState;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/// One question of a run, as a button or a form names it: an answer to it must not reach the run
/// once the run asks something else.
///
/// @param key a digest of the question's text, in hexadecimal
public record AskedQuestion(RunId run, String key) {
  private static final int KEY_BYTES = 8;
  private static final Pattern FORM = Pattern.compile("([0-9a-f]{16}) (\\S{1,200})");

  public static AskedQuestion of(RunId run, String question) {
    return new AskedQuestion(run, digest(question));
  }

  /// The question that the run asks now.
  public static Optional<AskedQuestion> of(Run run) {
    return run.state() == RunState.BLOCKED
        ? Optional.of(of(run.id(), run.message().orElse(Update.NO_QUESTION)))
        : Optional.empty();
  }

  /// @return empty for text that [#value()] did not write
  public static Optional<AskedQuestion> parse(String value) {
    var form = FORM.matcher(value);
    return form.matches()
        ? Optional.of(new AskedQuestion(new RunId(form.group(2)), form.group(1)))
        : Optional.empty();
  }

  /// The text that a platform keeps in a button or a form.
  public String value() {
    return key + " " + run;
  }

  private static String digest(String text) {
    try {
      var digest =
          MessageDigest.getInstance("SHA-256")
              .digest(text.strip().getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, KEY_BYTES);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("Every Java has SHA-256", impossible);
    }
  }
}
