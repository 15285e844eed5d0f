package dev.runnel.console;

import dev.runnel.console.access.ConsoleAccess;
import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.access.Form;
import dev.runnel.console.access.SignInLink;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.console.view.Templates;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.SignedInPerson;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.policy.Permission;
import dev.runnel.memory.MemorySpentException;
import dev.runnel.memory.RequestMemory;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HttpResponseException;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Shows pages to signed-in visitors only, and accepts only forms of these pages.
final class VisitorGuard {
  private static final Logger log = LoggerFactory.getLogger(VisitorGuard.class);
  private static final Pattern PAGE =
      Pattern.compile(
          "/|/attention|/audit|/numbers|/operation(/[a-z]+)?|/runs|/runs/[A-Za-z0-9._~%-]+");

  private final ConsoleAuthentication authentication;
  private final SignInProviders signIn;
  private final ConsoleAccess access;
  private final Templates pages;
  private final PageMemory memory;
  private final Predicate<Throwable> isUnavailable;
  private final InstantSource clock;

  /// @param isUnavailable whether an error says that the database cannot be used now
  VisitorGuard(
      ConsoleAuthentication authentication,
      SignInProviders signIn,
      ConsoleAccess access,
      Templates pages,
      PageMemory memory,
      Predicate<Throwable> isUnavailable,
      InstantSource clock) {
    this.authentication = authentication;
    this.signIn = signIn;
    this.access = access;
    this.pages = pages;
    this.memory = memory;
    this.isUnavailable = isUnavailable;
    this.clock = clock;
  }

  /// A page for signed-in visitors.
  @FunctionalInterface
  interface Page {
    void show(Context ctx, Visitor visitor) throws Exception;
  }

  void page(RoutesConfig routes, String path, Page page) {
    page(routes, path, PageMemory.PAGE, page);
  }

  /// Registers a page with lines of a transcript.
  void largePage(RoutesConfig routes, String path, Page page) {
    page(routes, path, PageMemory.LARGE_PAGE, page);
  }

  private void page(RoutesConfig routes, String path, long most, Page page) {
    get(routes, path, (ctx, visitor) -> memory.send(ctx, most, () -> page.show(ctx, visitor)));
  }

  /// Registers what sends a long text in pieces.
  void download(RoutesConfig routes, String path, Page page) {
    get(routes, path, (ctx, visitor) -> memory.sendInPieces(() -> page.show(ctx, visitor)));
  }

  /// Registers a stream of events, which takes memory for itself.
  void stream(RoutesConfig routes, String path, Page page) {
    get(routes, path, page);
  }

  /// Registers a page with lines of a transcript for everybody.
  void largePublicPage(RoutesConfig routes, String path, Handler page) {
    routes.get(
        path, careful(ctx -> memory.send(ctx, PageMemory.LARGE_PAGE, () -> page.handle(ctx))));
  }

  /// Registers `HEAD`, too: without a handler, Javalin would answer it without authentication.
  private void get(RoutesConfig routes, String path, Page page) {
    routes.get(path, guarded(page));
    routes.head(path, guarded(page));
  }

  /// Handles a form of a page.
  @FunctionalInterface
  interface Submission {
    void handle(Context ctx, Visitor visitor, Form form) throws Exception;
  }

  /// Registers a form of a page, for visitors who have the permission.
  ///
  /// @param what the rest of the refusal `You may not …`
  void form(
      RoutesConfig routes, String path, Permission permission, String what, Submission submission) {
    post(
        routes,
        path,
        (ctx, visitor) -> {
          var form = form(ctx);
          if (form.isEmpty()) {
            return;
          }
          if (!visitor.isPageKey(form.get().page())) {
            ctx.status(401)
                .html(pages.errorPage("This page is outdated", "Open it again, then repeat."));
          } else if (!may(visitor, permission)) {
            forbidden(ctx, what);
          } else {
            submission.handle(ctx, visitor, form.get());
          }
        });
  }

  /// Registers what a page posts.
  void post(RoutesConfig routes, String path, Page page) {
    routes.post(
        path,
        guarded(
            (ctx, visitor) -> memory.send(ctx, PageMemory.PAGE, () -> page.show(ctx, visitor))));
  }

  boolean may(Visitor visitor, Permission permission) {
    return access.may(visitor, permission);
  }

  /// What the visitor may do with a run that was started through the API.
  Set<Permission> permissions(Visitor visitor, Run run) {
    return access.permissions(visitor, run);
  }

  /// Whether the path is that of a page, to which a visitor can go after signing in.
  static boolean isPage(String path) {
    return PAGE.matcher(path).matches();
  }

  /// The pages without a visitor.
  Templates pages() {
    return pages;
  }

  /// Opens a stream that ends with the session.
  void follow(Context ctx, Visitor visitor, Streams streams, Streams.PageEvents events)
      throws IOException {
    streams.open(
        ctx,
        visitor.secret(),
        page ->
            visitor(ctx).filter(it -> may(it, Permission.READ)).isPresent()
                && events.collect(page));
  }

  /// Shows an error page instead of a page that fails, whatever the error is.
  Handler careful(Handler page) {
    return ctx -> {
      protect(ctx);
      try {
        page.handle(ctx);
      } catch (HttpResponseException | IOException e) {
        throw e;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        unavailable(ctx, "Runnel is stopping", "Open the page again in a moment.");
      } catch (Throwable e) {
        if (ctx.res().isCommitted()) {
          // A text is cut off, which its reader must see.
          throw e instanceof RuntimeException broken ? broken : new IllegalStateException(e);
        }
        showError(ctx, e);
      }
    };
  }

  private void showError(Context ctx, Throwable why) {
    if (why instanceof MemorySpentException) {
      log.debug("page refused path={} why={}", ctx.path(), why.getMessage());
      unavailable(
          ctx,
          "Too many pages are open",
          "The memory for pages is used up. Open this one again in a moment.");
    } else if (isUnavailable.test(why)) {
      log.warn("page not shown path={} why={}", ctx.path(), why.toString());
      unavailable(
          ctx,
          "The database cannot be used now",
          "Runnel waits for it, and loses nothing. Open the page again in a moment.");
    } else {
      var id = "%08x".formatted(ThreadLocalRandom.current().nextInt());
      log.error("page failed method={} path={} error={}", ctx.method(), ctx.path(), id, why);
      ctx.status(500)
          .html(
              pages.errorPage(
                  "This page cannot be shown",
                  "Runnel made a mistake. Open the page again, or tell your admin: the log has"
                      + " details under `error=%s`.".formatted(id)));
    }
  }

  private void unavailable(Context ctx, String title, String text) {
    ctx.status(503).header("Retry-After", "5").html(pages.errorPage(title, text));
  }

  private Handler guarded(Page page) {
    return careful(
        ctx -> {
          Optional<Visitor> visitor;
          try {
            visitor = visitor(ctx);
          } catch (RuntimeException unreadable) {
            log.warn("sessions not read why={}", unreadable.toString());
            ctx.status(503)
                .header("Retry-After", "5")
                .html(
                    pages.signIn(
                        "Not now", "The database cannot be reached.", false, "/", List.of()));
            return;
          }
          if (visitor.isPresent()
              && !RequestMemory.of(ctx.attribute(RequestMemory.ATTRIBUTE)).proven()) {
            ctx.status(503)
                .header("Retry-After", "1")
                .html(pages.errorPage("Too much at once", "Try again in a moment."));
          } else if (visitor.isPresent() && may(visitor.get(), Permission.READ)) {
            page.show(ctx, visitor.get());
          } else if (visitor.isPresent()) {
            forbidden(ctx, "see this console any more");
          } else {
            ctx.status(401).header("WWW-Authenticate", "Bearer");
            ctx.html(signIn("Sign in", "", isPage(ctx.path()) ? ctx.path() : "/"));
          }
        });
  }

  private Optional<Visitor> visitor(Context ctx) {
    return authentication.visitor(
        Optional.ofNullable(ctx.header("Cookie")),
        Optional.ofNullable(ctx.header("Authorization")));
  }

  /// @param why text before the instructions; may be empty
  String signIn(String title, String why, String to) {
    var link =
        "`./runnel console`, on the machine of Runnel, prints a link that opens the console.";
    var text =
        authentication.hasToken()
            ? "Enter the token, which is the value of `RUNNEL_CONSOLE_TOKEN`. Or: " + link
            : link;
    return pages.signIn(
        title,
        why.isEmpty() ? text : why + " " + text,
        authentication.hasToken(),
        to,
        signIn.providers().stream()
            .map(
                it ->
                    new SignInLink(
                        it.name(),
                        ConsoleAuthentication.SIGN_IN_PATH
                            + "/"
                            + it.id()
                            + "?to="
                            + URLEncoder.encode(to, StandardCharsets.UTF_8)))
            .toList());
  }

  void forbidden(Context ctx, String what) {
    ctx.status(403)
        .html(
            pages.errorPage(
                "You may not " + what, "Ask whoever runs Runnel: `policy.rules` decides it."));
  }

  /// The pages for the visitor.
  Templates pages(Visitor visitor) {
    return pages.as(
        visitor.person().map(SignedInPerson::name).orElse(""), may(visitor, Permission.CONFIGURE));
  }

  /// The submitted form; empty if it was rejected, in which case the response is set.
  Optional<Form> form(Context ctx) throws IOException {
    var body = ctx.bodyInputStream().readNBytes(Form.MAX_BYTES + 1);
    if (body.length > Form.MAX_BYTES) {
      ctx.status(413);
      return Optional.empty();
    }
    var headers = new HashMap<String, String>();
    ctx.headerMap().forEach((name, value) -> headers.put(name.toLowerCase(Locale.ROOT), value));
    var request = new RawRequest("POST", ctx.path(), headers, body, clock.instant());
    if (!ConsoleSurface.isFromOurPage(request)) {
      ctx.status(401)
          .html(pages.errorPage("This form was sent from another site", "Nothing was changed."));
      return Optional.empty();
    }
    try {
      return Optional.of(Form.parse(request));
    } catch (IllegalArgumentException unreadable) {
      ctx.status(400);
      return Optional.empty();
    }
  }

  static void protect(Context ctx) {
    ctx.header(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src"
            + " 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    ctx.header("X-Frame-Options", "DENY");
    ctx.header("X-Content-Type-Options", "nosniff");
    ctx.header("Referrer-Policy", "same-origin");
    ctx.header("Cache-Control", "no-store");
  }
}
