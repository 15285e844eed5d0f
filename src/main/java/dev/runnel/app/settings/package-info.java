/// The settings, from the file and the environment. [Settings] reads both, [Setting] describes each
/// value that may be set, and [Config] has the checked result. A wrong setting stops the start with
/// a [SettingsException] that names it.
@NullMarked
package dev.runnel.app.settings;

import org.jspecify.annotations.NullMarked;
