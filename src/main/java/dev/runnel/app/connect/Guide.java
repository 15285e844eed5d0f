package dev.runnel.app.connect;

/// The steps that connect a platform. Pure: makes no calls and asks nobody.
interface Guide {
  /// The next step, given the known facts; [Step.Finished] if there is none.
  Step next(Facts facts);
}
