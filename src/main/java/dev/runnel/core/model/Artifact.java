package dev.runnel.core.model;

import java.net.URI;

/// Something a run made that people can open: a pull request, a plan.
///
/// @param label what people read: `acme/shop#7 (fix-checkout)`
public record Artifact(String label, URI link, boolean pullRequest) {}
