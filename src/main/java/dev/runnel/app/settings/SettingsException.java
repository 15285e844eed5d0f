package dev.runnel.app.settings;

/// A setting is invalid; the message names the setting, its place, and the remedy.
public final class SettingsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public SettingsException(String message) {
    super(message);
  }
}
