package dev.runnel.surface.slack;

/// What talks with one workspace, in its name.
record SlackWorkspace(
    SlackApi api, SlackBackground background, LongAnswers longAnswers, SlackCatchUp catchUp) {}
