package dev.runnel.surface.slack;

/// What talks with one workspace, in its name.
record SlackWorkspace(SlackApi api, FileTransfer files, SlackNames names) {}
