/// The declaration of a platform: [PlatformDefinition], its [Setting]s, and the [ConnectedPlatform]
/// that it opens. Each platform is a package below this one.
@NullMarked
package dev.runnel.surface;

import org.jspecify.annotations.NullMarked;
