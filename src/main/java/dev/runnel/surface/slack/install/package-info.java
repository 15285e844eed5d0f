/// The workspaces that the app serves, behind [SlackWorkspaces]: one by a token from the settings
/// ([OneWorkspace]), or those that installed the app ([InstalledWorkspaces], decision 0011).
/// [SlackInstaller] handles the installation (OAuth); [TokenCipher] encrypts the stored tokens.
@NullMarked
package dev.runnel.surface.slack.install;

import org.jspecify.annotations.NullMarked;
