package dev.runnel.service.run.limit;

import java.util.OptionalInt;

/// The position of a run in the queue.
///
/// @param number 1 for the run that is next
/// @param maxPerPerson the limit of concurrent runs of one person, if the run waits because of it;
///   empty if it waits for any free slot
public record QueuePosition(int number, OptionalInt maxPerPerson) {
  /// Whether it waits until another run of the same person ends.
  public boolean isHeldByPersonLimit() {
    return maxPerPerson.isPresent();
  }

  /// For people.
  public String description() {
    var place = "(%s in the queue)".formatted(ordinal(number));
    return isHeldByPersonLimit()
        ? "Waiting until another run of the same person ends: one person may have %d at work %s."
            .formatted(maxPerPerson.getAsInt(), place)
        : "Waiting for a free place %s.".formatted(place);
  }

  private static String ordinal(int number) {
    var teens = number % 100 >= 11 && number % 100 <= 13;
    return number
        + switch (teens ? 0 : number % 10) {
          case 1 -> "st";
          case 2 -> "nd";
          case 3 -> "rd";
          default -> "th";
        };
  }
}
