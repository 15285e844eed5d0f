package dev.runnel.core.redact;

import dev.runnel.core.model.run.RunId;
import dev.runnel.core.port.RunCatalog;
import dev.runnel.text.Redactor;
import dev.runnel.text.TerminalText;
import java.net.URI;
import java.util.Optional;

/// Wraps the run catalog: redacts secrets in its results.
public final class RedactedCatalog implements RunCatalog {
  private final RunCatalog catalog;
  private final TextMapping plain;

  public RedactedCatalog(RunCatalog catalog, Redactor redactor) {
    this.catalog = catalog;
    this.plain = new TextMapping(text -> redactor.redact(TerminalText.plain(text)));
  }

  @Override
  public Result find(Query query) {
    return switch (catalog.find(query)) {
      case Result.Listed(var entries, var next) ->
          new Result.Listed(entries.stream().map(this::redacted).toList(), next);
      case Result.Unavailable(var why) -> new Result.Unavailable(plain.text(why));
    };
  }

  @Override
  public Optional<Details> details(RunId run) {
    return catalog
        .details(run)
        .map(
            it ->
                new Details(
                    redacted(it.entry()),
                    it.startedAt(),
                    it.finishedAt(),
                    it.parent(),
                    it.executions(),
                    it.children().stream().map(this::redacted).toList(),
                    it.files().stream()
                        .map(
                            file ->
                                new File(
                                    file.id(),
                                    plain.text(file.name()),
                                    file.isImage(),
                                    file.bytes()))
                        .toList()));
  }

  @Override
  public Optional<URI> fileLink(String file) {
    return catalog.fileLink(file);
  }

  private Entry redacted(Entry entry) {
    return new Entry(
        plain.run(entry.run()),
        entry.createdAt(),
        plain.text(entry.creator()),
        entry.creatorId(),
        entry.source(),
        plain.text(entry.agent()),
        entry.origin());
  }
}
