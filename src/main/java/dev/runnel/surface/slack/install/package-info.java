/// The workspaces that the app is in, behind [SlackWorkspaces]: one by a token from the settings
/// ([OneWorkspace]), or those that installed the app ([InstalledWorkspaces], decision 0011).
/// [SlackInstaller] takes a browser through the installation (OAuth); [TokenCipher] encrypts the
/// tokens that are stored.
@NullMarked
package dev.runnel.surface.slack.install;

import org.jspecify.annotations.NullMarked;
