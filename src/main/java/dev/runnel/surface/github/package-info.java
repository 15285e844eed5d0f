/// The GitHub surface: labels and comments arrive as webhooks, answers are posted as issue
/// comments. For signatures and payloads see https://docs.github.com/webhooks, for comments
/// https://docs.github.com/rest/issues/comments. Start with [GitHub].
@NullMarked
package dev.runnel.surface.github;

import org.jspecify.annotations.NullMarked;
