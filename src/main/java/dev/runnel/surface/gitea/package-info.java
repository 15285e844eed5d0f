/// The Gitea and Forgejo surface: labels, assignments and comments arrive as webhooks, answers are
/// posted as issue comments. For payloads and the API see https://docs.gitea.com/usage/webhooks and
/// https://docs.gitea.com/api. Start with [Gitea].
@NullMarked
package dev.runnel.surface.gitea;

import org.jspecify.annotations.NullMarked;
