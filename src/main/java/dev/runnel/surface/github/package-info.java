/// GitHub: labels and comments come in as webhooks, answers go out as issue comments. Proofs and
/// payloads are described under https://docs.github.com/webhooks, comments under
/// https://docs.github.com/rest/issues/comments. [GitHubSurface] is the way in.
@NullMarked
package dev.runnel.surface.github;

import org.jspecify.annotations.NullMarked;
