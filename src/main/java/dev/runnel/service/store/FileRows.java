package dev.runnel.service.store;

import dev.runnel.database.Rows;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.Attachment;
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

  /// A stored attachment.
  public record Kept(String id, String runId, String name, String mimeType) {
    static Kept read(ResultSet row) throws SQLException {
      return new Kept(
          row.getString("id"),
          row.getString("run_id"),
          row.getString("name"),
          row.getString("mime_type"));
    }
  }

  void attach(String runId, List<Attachment> attachments) throws SQLException {
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
          attachment.data());
    }
  }

  /// Attachments in the order in which they were sent.
  List<Kept> attachmentsOf(String runId) throws SQLException {
    return rows.list(
        "SELECT id, run_id, name, mime_type FROM attachments WHERE run_id = ? ORDER BY number",
        Kept::read,
        runId);
  }

  Optional<Kept> attachment(String id) throws SQLException {
    return rows.first(
        "SELECT id, run_id, name, mime_type FROM attachments WHERE id = ?", Kept::read, id);
  }

  Optional<byte[]> content(String attachmentId) throws SQLException {
    return rows.first(
        "SELECT data FROM attachments WHERE id = ?",
        row -> Base64.getDecoder().decode(row.getString("data")),
        attachmentId);
  }

  /// Adds artifacts of an execution.
  ///
  /// @param before the run's artifacts so far
  /// @return the run's artifacts now; a repeated artifact replaces the earlier one at its position
  List<ArtifactItem> add(
      String runId, List<NewArtifact> made, List<ArtifactItem> before, Instant at)
      throws SQLException {
    var artifacts = new ArrayList<>(before);
    for (var one : made) {
      var place = 0;
      while (place < artifacts.size() && !one.isSame(artifacts.get(place))) {
        place++;
      }
      if (place < artifacts.size()) {
        var known = artifacts.get(place);
        artifacts.set(
            place, one.beside(known).item(Objects.requireNonNullElse(known.createdAt(), at)));
      } else if (makeRoom(artifacts, one)) {
        artifacts.add(one.item(at));
        if (one.uid().isPresent()) {
          madeBy(runId, one.uid().get());
        }
      }
    }
    return artifacts;
  }

  /// Whether there is room. What the agent handed over takes the place of a file that it only
  /// wrote.
  private static boolean makeRoom(List<ArtifactItem> artifacts, NewArtifact one) {
    if (artifacts.size() < MAX_ARTIFACTS) {
      return true;
    }
    var other = one.isHandedOver() ? artifacts.stream().filter(NewArtifact::isByTheWay) : null;
    return other != null && other.findFirst().map(artifacts::remove).orElse(false);
  }

  private void madeBy(String runId, String artifactUid) throws SQLException {
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
