/// Where an agent works: environments, the cache of clones, one workspace a run, and the skills in
/// the repositories. [dev.runnel.service.workspace.Workspaces] is the way in. All programs are run
/// by the caller's [dev.runnel.service.workspace.CommandRunner], so that whoever ends a run ends
/// them too; what a repository holds is data here and is never executed.
@NullMarked
package dev.runnel.service.workspace;

import org.jspecify.annotations.NullMarked;
