package dev.runnel.surface.slack.install;

import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackNames;

/// What talks with one workspace, in its name.
public record SlackWorkspace(SlackApi api, FileTransfer files, SlackNames names) {}
