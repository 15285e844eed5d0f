package dev.runnel.client;

/// The result of calls whose response has no content besides success.
public enum Done {
  DONE
}
