package dev.runnel.app.settings;

/// A setting is wrong: its message names the setting, the place, and what to do.
public final class SettingsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public SettingsException(String message) {
    super(message);
  }
}
