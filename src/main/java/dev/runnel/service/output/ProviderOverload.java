package dev.runnel.service.output;

import dev.runnel.text.Truncation;
import java.util.Optional;
import java.util.regex.Pattern;

/// Recognizes that an agent failed because the provider of its model was overloaded or had a fault,
/// by the provider's HTTP status or error code in what the agent reports.
final class ProviderOverload {
  private static final int MAX_READ = 4_000;

  private static final Pattern OVERLOAD =
      Pattern.compile(
          "\\b(?:API Error:?|status(?: code)?:?|HTTP(?:/\\d(?:\\.\\d)?)?|got status:|\"code\":)"
              + " {0,3}(?:429|5\\d\\d)\\b"
              + "|\\b(?:overloaded_error|rate_limit_error|rate_limit_exceeded|RESOURCE_EXHAUSTED)\\b|\\b(?:429"
              + " Too Many Requests|502 Bad Gateway|503 Service Unavailable|504 Gateway Timeout|529"
              + " Overloaded)\\b|\\b[Mm]odel is overloaded\\b|^Overloaded$");

  /// A limit of the account, which another try does not change.
  private static final Pattern ACCOUNT =
      Pattern.compile("quota|billing|credit|insufficient|per day|PerDay|usage limit");

  private static final Pattern STATUS = Pattern.compile("\\b(429|5\\d\\d)\\b");

  private ProviderOverload() {}

  /// The reason in words, with the status; empty if the failure has another one.
  static Optional<String> words(String why) {
    var text = Truncation.head(why, MAX_READ);
    if (!OVERLOAD.matcher(text).find() || ACCOUNT.matcher(text).find()) {
      return Optional.empty();
    }
    var status = STATUS.matcher(text);
    return Optional.of(
        "The provider of the model is overloaded or out of order at the moment%s. Another try will likely work."
            .formatted(status.find() ? " (status " + status.group(1) + ")" : ""));
  }
}
