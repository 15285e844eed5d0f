package dev.runnel.surface.slack.install;

import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackNames;

/// The clients of one workspace, all using its token.
public record SlackWorkspace(SlackApi api, FileTransfer files, SlackNames names) {}
