package dev.runnel.client;

import dev.runnel.wire.ArtifactContent;

/// Artifacts that runs produced: `/agent/artifacts`.
public final class Artifacts {
  private final Resource api;

  Artifacts(Resource api) {
    this.api = api;
  }

  /// `GET /agent/artifacts/{uid}`: the content of a plan, or the signed URL of a screenshot or
  /// file. Fails with [RunsException.NotFound] for pull requests and references, which have no
  /// content here.
  public Call<ArtifactContent> get(String uid) {
    return api.get(
        "read artifact " + uid,
        Call.json(ArtifactContent.class),
        api.url("agent", "artifacts", uid));
  }

  /// `GET /agent/artifacts/{uid}/download`, following the redirect to the storage location. For
  /// large artifacts use [a streamed body][Call#withStreamedBody()].
  public Call<byte[]> download(String uid) {
    return api.get(
        "download artifact " + uid, Call.bytes(), api.url("agent", "artifacts", uid, "download"));
  }
}
