/// GitLab: labels, assignments and notes of issues and merge requests come in as webhooks, answers
/// go out as notes. Payloads and addresses are described under
/// https://docs.gitlab.com/user/project/integrations/webhook_events and
/// https://docs.gitlab.com/api/notes. [GitLabSurface] is the way in.
@NullMarked
package dev.runnel.surface.gitlab;

import org.jspecify.annotations.NullMarked;
