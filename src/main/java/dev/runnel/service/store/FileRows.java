package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.NewRun;
import dev.runnel.wire.ArtifactItem;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/// Reads and writes attachments and artifacts of runs, within one transaction.
public record FileRows(Rows rows) {
  private static final int MAX_ARTIFACTS = 50;

  /// Characters of Base64, a multiple of four.
  private static final int PIECE = 256 * 1024;

  /// A stored attachment.
  public record StoredAttachment(String id, String name, String mimeType) {
    static StoredAttachment read(ResultSet row) throws SQLException {
      return new StoredAttachment(
          row.getString("id"), row.getString("name"), row.getString("mime_type"));
    }
  }

  void attach(String runId, List<NewRun.Picture> attachments) throws SQLException {
    for (int number = 0; number < attachments.size(); number++) {
      var attachment = attachments.get(number);
      rows.change(
          "INSERT INTO attachments (id, run_id, number, name, mime_type, data)"
              + " VALUES (?, ?, ?, ?, ?, ?)",
          UUID.randomUUID().toString(),
          runId,
          number,
          attachment.fileName(),
          attachment.mimeType(),
          Base64.getEncoder().encodeToString(attachment.content()));
    }
  }

  /// Attachments in the order in which they were sent.
  List<StoredAttachment> attachmentsOf(String runId) throws SQLException {
    return rows.list(
        "SELECT id, name, mime_type FROM attachments WHERE run_id = ? ORDER BY number",
        StoredAttachment::read,
        runId);
  }

  Optional<StoredAttachment> attachment(String id) throws SQLException {
    return rows.first(
        "SELECT id, name, mime_type FROM attachments WHERE id = ?", StoredAttachment::read, id);
  }

  /// A piece of an attachment's content.
  ///
  /// @param number 0, 1, …
  /// @return empty after the last
  Optional<byte[]> content(String attachmentId, int number) throws SQLException {
    return rows.first(
            "SELECT SUBSTR(data, ?, ?) AS piece FROM attachments WHERE id = ?",
            row -> Base64.getDecoder().decode(row.getString("piece")),
            1 + number * PIECE,
            PIECE,
            attachmentId)
        .filter(piece -> piece.length > 0);
  }

  /// Adds artifacts of an execution.
  ///
  /// @param existing the run's artifacts so far
  /// @return the run's artifacts now; a repeated artifact replaces the earlier one at its position
  List<ArtifactItem> add(
      String runId, List<NewArtifact> added, List<ArtifactItem> existing, Instant at)
      throws SQLException {
    var artifacts = new ArrayList<>(existing);
    for (var artifact : added) {
      var index = 0;
      while (index < artifacts.size() && !artifact.isSame(artifacts.get(index))) {
        index++;
      }
      if (index < artifacts.size()) {
        var previous = artifacts.get(index);
        artifacts.set(
            index,
            artifact
                .mergedWith(previous)
                .item(Objects.requireNonNullElse(previous.createdAt(), at)));
      } else if (makeRoom(artifacts, artifact)) {
        artifacts.add(artifact.item(at));
        if (artifact.uid().isPresent()) {
          insertUid(runId, artifact.uid().get());
        }
      }
    }
    return artifacts;
  }

  /// Whether there is room for an artifact. For one that the agent handed over, removes a file that
  /// it only wrote if necessary.
  private static boolean makeRoom(List<ArtifactItem> artifacts, NewArtifact artifact) {
    if (artifacts.size() < MAX_ARTIFACTS) {
      return true;
    }
    var other =
        artifact.isHandedOver() ? artifacts.stream().filter(NewArtifact::isNotHandedOver) : null;
    return other != null && other.findFirst().map(artifacts::remove).orElse(false);
  }

  private void insertUid(String runId, String artifactUid) throws SQLException {
    rows.change(
        "INSERT INTO artifact_uids (uid, run_id) VALUES (?, ?) ON CONFLICT DO NOTHING",
        artifactUid,
        runId);
  }

  /// The run that made an artifact.
  Optional<String> runOf(String artifactUid) throws SQLException {
    return rows.first(
        "SELECT run_id FROM artifact_uids WHERE uid = ?",
        row -> row.getString("run_id"),
        artifactUid);
  }
}
