/// The GitLab surface: labels, assignments and notes of issues and merge requests arrive as
/// webhooks, answers are posted as notes. For payloads and the API see
/// https://docs.gitlab.com/user/project/integrations/webhook_events and
/// https://docs.gitlab.com/api/notes. Start with [GitLab].
@NullMarked
package dev.runnel.surface.gitlab;

import org.jspecify.annotations.NullMarked;
