package dev.runnel.testkit;

import dev.runnel.core.model.Intent;
import dev.runnel.core.model.run.Request;
import dev.runnel.core.model.run.RunOptions;
import java.util.Optional;

/// What a label asks for.
public final class Tasks {
  private Tasks() {}

  /// @param thing `issue`
  /// @param title it is what the run is called
  public static Intent workOn(String thing, String title) {
    return new Intent.Start(request(thing, title));
  }

  public static Request request(String thing, String title) {
    var none = RunOptions.NONE;
    return new Request(
        "Work on this " + thing + ".",
        new RunOptions(
            none.profile(),
            none.environment(),
            none.model(),
            none.skill(),
            none.name(),
            Optional.of(title),
            none.factory()));
  }
}
