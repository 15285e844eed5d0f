package dev.runnel.client;

import dev.runnel.wire.ArtifactContent;

/// What runs made: `/agent/artifacts`.
public final class Artifacts {
  private final Resource api;

  Artifacts(Resource api) {
    this.api = api;
  }

  /// `GET /agent/artifacts/{uid}`: a plan's content, or the signed address of a screenshot or file.
  /// A [RunsException.NotFound] for pull requests and references, which have no content here.
  public Call<ArtifactContent> get(String uid) {
    return api.get(
        "read artifact " + uid,
        Call.json(ArtifactContent.class),
        api.url("agent", "artifacts", uid));
  }

  /// `GET /agent/artifacts/{uid}/download`, followed to where it is kept. Big ones are better read
  /// [with an open body][Call#withStreamedBody()].
  public Call<byte[]> download(String uid) {
    return api.get(
        "download artifact " + uid, Call.bytes(), api.url("agent", "artifacts", uid, "download"));
  }
}
