/// The surface of Azure DevOps: tags, assignments, states and comments of work items arrive as
/// service hooks, answers are posted as comments. For payloads see
/// https://learn.microsoft.com/azure/devops/service-hooks/events, for the API
/// https://learn.microsoft.com/rest/api/azure/devops/wit. Start with [AzureDevOps].
@NullMarked
package dev.runnel.surface.azure;

import org.jspecify.annotations.NullMarked;
