/// Where an agent works: environments, the clone cache, one workspace per run, and the skills in
/// the repositories. [dev.runnel.service.workspace.Workspaces] is the entry point. All programs are
/// run by the caller's [dev.runnel.service.workspace.CommandRunner], so that ending a run ends
/// them, too; the content of a repository is data here and is never executed.
@NullMarked
package dev.runnel.service.workspace;

import org.jspecify.annotations.NullMarked;
