package dev.runnel.app.connect;

/// The way to a connected platform. Pure: it neither calls nor asks anybody.
interface Guide {
  /// The next step for what is known; [Step.Finished] if there is none.
  Step next(Facts facts);
}
