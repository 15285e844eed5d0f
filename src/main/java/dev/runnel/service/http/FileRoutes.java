package dev.runnel.service.http;

import dev.runnel.service.execution.ServiceSettings;
import dev.runnel.service.run.Caller;
import dev.runnel.service.run.ChangeListener;
import dev.runnel.service.run.NewArtifact;
import dev.runnel.service.run.RequestProblem;
import dev.runnel.service.run.RunRow;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.service.store.RunAccess;
import dev.runnel.service.store.RunQueries;
import dev.runnel.wire.ArtifactContent;
import dev.runnel.wire.ArtifactData;
import dev.runnel.wire.ArtifactItem;
import dev.runnel.wire.HandoffAttachment;
import io.javalin.http.Context;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

/// Artifacts and attachments of runs: plans are returned in the response, files by signed URLs. A
/// file is read from the run's workspace, which only one node has, and is no longer available when
/// the workspace is deleted.
///
/// @param place see [dev.runnel.service.run.NodeIdentity#place]
public record FileRoutes(
    RunQueries queries,
    RunAccess access,
    ServiceSettings settings,
    SignedLinks links,
    String place,
    ChangeListener listener) {
  private static final String MARKDOWN = "text/markdown; charset=utf-8";

  /// An artifact and the run that produced it.
  private record RunArtifact(RunRow run, ArtifactItem item) {}

  public void register(Api api) {
    api.get("/agent/artifacts/{uid}", this::artifact);
    api.get("/agent/artifacts/{uid}/download", this::download);
    api.open("/agent/artifacts/{uid}/content", this::content);
    api.get("/agent/runs/{id}/handoff/attachments", this::attachments);
    api.open("/agent/attachments/{id}/content", this::attachment);
  }

  private void artifact(Context ctx, Caller caller) throws IOException {
    var uid = ctx.pathParam("uid");
    var found = find(ctx, caller);
    var data =
        switch (found.item()) {
          case ArtifactItem.Plan plan -> data(plan);
          case ArtifactItem.File file -> data(found.run(), file, uid);
          case ArtifactItem.Screenshot _,
              ArtifactItem.PullRequest _,
              ArtifactItem.ExternalReference _,
              ArtifactItem.Unknown _ ->
              throw notFound();
        };
    listener.read(caller, found.run().id());
    var item = found.item();
    Api.respond(
        ctx,
        ServiceJson.write(new ArtifactContent(item.type(), uid, item.createdAt(), data, Map.of())));
  }

  private static ArtifactData data(ArtifactItem.Plan plan) {
    return new ArtifactData(
        text(plan),
        MARKDOWN,
        null,
        null,
        plan.title(),
        null,
        null,
        null,
        null,
        plan.documentUid(),
        Objects.requireNonNullElse(plan.notebookUid(), plan.documentUid()),
        plan.url(),
        Map.of());
  }

  private ArtifactData data(RunRow run, ArtifactItem.File file, String uid) throws IOException {
    var opened = open(run, file);
    opened.content().close();
    var link = links.of("artifact " + uid);
    return new ArtifactData(
        null,
        type(file),
        absoluteUrl(content(uid, link)),
        link.expiresAt(),
        file.title(),
        file.description(),
        file.filename(),
        file.filepath(),
        opened.size(),
        null,
        null,
        null,
        Map.of());
  }

  private void download(Context ctx, Caller caller) throws IOException {
    var uid = ctx.pathParam("uid");
    var found = find(ctx, caller);
    if (found.item() instanceof ArtifactItem.File file) {
      open(found.run(), file).content().close();
    } else if (!(found.item() instanceof ArtifactItem.Plan)) {
      throw notFound();
    }
    listener.read(caller, found.run().id());
    ctx.status(302).header("Location", Api.BASE + content(uid, links.of("artifact " + uid)));
  }

  private void content(Context ctx, Caller anonymous) throws IOException {
    var uid = ctx.pathParam("uid");
    if (!links.isValid("artifact " + uid, ctx)) {
      throw notFound();
    }
    var found = find(ctx, anonymous);
    if (found.item() instanceof ArtifactItem.Plan plan) {
      var name = Objects.requireNonNullElse(plan.title(), "Plan") + ".md";
      var bytes = text(plan).getBytes(StandardCharsets.UTF_8);
      send(ctx, name, MARKDOWN, new ByteArrayInputStream(bytes));
    } else if (found.item() instanceof ArtifactItem.File file) {
      var name = Objects.requireNonNullElse(file.filename(), "file");
      send(ctx, name, type(file), open(found.run(), file).content());
    } else {
      throw notFound();
    }
  }

  private void attachments(Context ctx, Caller caller) {
    var id = ctx.pathParam("id");
    access.require(caller, id, false);
    if (queries.find(id).isEmpty()) {
      throw RequestProblem.noRun();
    }
    listener.read(caller, id);
    var body = ServiceJson.newObject();
    var list = body.putArray("attachments");
    for (var attachment : queries.attachmentsOf(id)) {
      var query = links.of("attachment " + attachment.id()).query();
      var address = absoluteUrl("/agent/attachments/" + attachment.id() + "/content?" + query);
      list.add(
          ServiceJson.object(
              new HandoffAttachment(
                  attachment.id(), attachment.name(), address, attachment.mimeType(), Map.of())));
    }
    Api.respond(ctx, body.toString());
  }

  private void attachment(Context ctx, Caller anonymous) {
    var id = ctx.pathParam("id");
    if (!links.isValid("attachment " + id, ctx)) {
      throw notFound();
    }
    var stored = queries.attachment(id).orElseThrow(FileRoutes::notFound);
    send(ctx, stored.name(), stored.mimeType(), queries.attachmentContent(id));
  }

  private RunArtifact find(Context ctx, Caller caller) {
    var uid = ctx.pathParam("uid");
    var run = queries.byArtifact(uid).orElseThrow(FileRoutes::notFound);
    if (!access.mayAccess(caller, run.id(), false)) {
      throw notFound();
    }
    return run.artifactItems().stream()
        .filter(item -> item.json().at("/data/artifact_uid").asText().equals(uid))
        .findFirst()
        .map(item -> new RunArtifact(run, item))
        .orElseThrow(FileRoutes::notFound);
  }

  private WorkspaceFile open(RunRow run, ArtifactItem.File file) throws IOException {
    if (NewArtifact.isWithheld(file)) {
      throw new RequestProblem(
          RequestProblem.Code.RESOURCE_NOT_FOUND, "The file is withheld: it contains a secret");
    }
    var elsewhere = queries.place(run.id()).filter(it -> !it.equals(place));
    if (elsewhere.isPresent()) {
      var host = queries.hostOf(elsewhere.get()).map(it -> " (host %s)".formatted(it)).orElse("");
      throw new RequestProblem(
          RequestProblem.Code.RESOURCE_NOT_FOUND,
          "The file is in the run's workspace on another node%s. Request it from that node."
              .formatted(host));
    }
    var path = Path.of(Objects.requireNonNullElse(file.filepath(), ""));
    return WorkspaceFile.open(settings.workspaces().resolve(run.id()), path)
        .orElseThrow(
            () ->
                new RequestProblem(
                    RequestProblem.Code.RESOURCE_NOT_FOUND,
                    "The file is no longer in the run's workspace"));
  }

  /// Sends a file with headers that keep a page written by an agent from executing on this server's
  /// origin.
  private static void send(Context ctx, String name, String type, InputStream content) {
    var encoded = URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    ctx.contentType(type)
        .header("Content-Disposition", "attachment; filename*=UTF-8''" + encoded)
        .header("Content-Security-Policy", "sandbox")
        .header("X-Content-Type-Options", "nosniff")
        .header("Cache-Control", "private, no-store")
        .result(content);
  }

  private static String text(ArtifactItem.Plan plan) {
    return plan.json().at("/data/content").asText();
  }

  private static String type(ArtifactItem.File file) {
    return Objects.requireNonNullElse(file.mimeType(), "application/octet-stream");
  }

  private static String content(String uid, SignedLinks.Link link) {
    return "/agent/artifacts/" + uid + "/content?" + link.query();
  }

  private String absoluteUrl(String address) {
    return settings.publicUrl().get().toString().replaceAll("(?<!/)/+$", "") + Api.BASE + address;
  }

  private static RequestProblem notFound() {
    return new RequestProblem(
        RequestProblem.Code.RESOURCE_NOT_FOUND, "No plan or file has this address");
  }
}
