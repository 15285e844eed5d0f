package dev.runnel.client;

/// The answer of calls that have none but that they worked.
public enum Done {
  DONE
}
