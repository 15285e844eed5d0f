package dev.runnel.service.run.limit;

import java.util.OptionalInt;

/// Where a run stands in the queue.
///
/// @param number 1 for the run that is next
/// @param mostOfPerson how many runs of one person work at the same time, if that is what this run
///   waits for; empty if it waits for any free slot
public record QueuePlace(int number, OptionalInt mostOfPerson) {
  /// Whether it waits until another run of the same person ends.
  public boolean isHeld() {
    return mostOfPerson.isPresent();
  }

  /// For people.
  public String words() {
    var place = "(%s in the queue)".formatted(ordinal(number));
    return isHeld()
        ? "Waiting until another run of the same person ends, who has %d at work, the most for one person %s."
            .formatted(mostOfPerson.getAsInt(), place)
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
