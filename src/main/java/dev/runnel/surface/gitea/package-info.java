/// Gitea and Forgejo: labels, assignments and comments come in as webhooks, answers go out as
/// issue comments. Payloads and addresses are described under
/// https://docs.gitea.com/usage/webhooks and https://docs.gitea.com/api. [GiteaSurface] is the
/// way in.
@NullMarked
package dev.runnel.surface.gitea;

import org.jspecify.annotations.NullMarked;
