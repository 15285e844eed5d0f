package dev.runnel.app.settings;

import dev.runnel.surface.Setting;

/// A setting is invalid; the message names the setting, its place, and the remedy.
public final class SettingsException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public SettingsException(String message) {
    super(message);
  }

  /// @param why follows the name of the setting: `must be on or off`
  SettingsException(Setting setting, String why) {
    this("%s (%s) %s.".formatted(setting, setting.path(), why));
  }
}
