package dev.runnel.console;

import dev.runnel.console.access.ConsoleAccess;
import dev.runnel.console.access.ConsoleAuthentication;
import dev.runnel.console.access.ConsoleAuthentication.Visitor;
import dev.runnel.console.access.ConsoleSurface;
import dev.runnel.console.access.SignInProviders;
import dev.runnel.core.policy.Permission;
import dev.runnel.core.port.SignInProvider;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import io.javalin.http.Cookie;
import io.javalin.http.SameSite;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// `/enter` signs in, and `/leave` signs out.
final class SignInRoutes {
  private static final Logger log = LoggerFactory.getLogger(SignInRoutes.class);

  private static final String BY_TOKEN = "by the token";

  private final VisitorGuard guard;
  private final ConsoleAuthentication authentication;
  private final SignInProviders signIn;
  private final ConsoleAccess access;
  private final ConsoleAudit audit;
  private final boolean isHttps;

  SignInRoutes(
      VisitorGuard guard, ConsoleVisitors visitors, ConsoleAccess access, ConsoleAudit audit) {
    this.guard = guard;
    this.authentication = visitors.authentication();
    this.signIn = visitors.signIn();
    this.access = access;
    this.audit = audit;
    this.isHttps = visitors.isHttps();
  }

  void register(RoutesConfig routes) {
    routes.get(ConsoleAuthentication.SIGN_IN_PATH, guard.careful(this::showSignIn));
    routes.post(ConsoleAuthentication.SIGN_IN_PATH, guard.careful(this::enter));
    routes.get(
        ConsoleAuthentication.SIGN_IN_PATH + "/{provider}",
        guard.careful(this::redirectToProvider));
    routes.get(
        ConsoleAuthentication.SIGN_IN_PATH + "/{provider}/callback",
        guard.careful(this::completeSignIn));
    guard.post(routes, "/leave", this::leave);
  }

  /// Redirects the visitor to a provider.
  private void redirectToProvider(Context ctx) {
    var provider = signIn.find(ctx.pathParam("provider"));
    if (provider.isEmpty()) {
      ctx.status(404).html(guard.pages().errorPage("There is nothing here", "Check the address."));
      return;
    }
    var to = ctx.queryParam("to");
    try {
      var departure =
          authentication.beginSignIn(
              provider.get(),
              signIn.callback(provider.get()),
              to != null && VisitorGuard.isPage(to) ? to : "/");
      if (departure.isEmpty()) {
        ctx.status(429)
            .header("Retry-After", Long.toString(ConsoleAuthentication.ATTEMPTS_WINDOW.toSeconds()))
            .html(guard.signIn("Not now", "Too many people are signing in. Wait a minute.", "/"));
        return;
      }
      ctx.cookie(
          cookie(
              ctx,
              ConsoleAuthentication.ATTEMPT_COOKIE,
              departure.get().browser(),
              ConsoleAuthentication.ATTEMPT_LIFETIME));
      ctx.status(303).header("Location", departure.get().to().toString());
    } catch (SignInProvider.Failed failed) {
      log.warn("sign-in failed provider={} why={}", provider.get().id(), failed.getMessage());
      ctx.status(502)
          .html(guard.signIn("Not now", provider.get().name() + " cannot be reached.", "/"));
    }
  }

  private void completeSignIn(Context ctx) {
    var provider = signIn.find(ctx.pathParam("provider"));
    if (provider.isEmpty()) {
      ctx.status(404).html(guard.pages().errorPage("There is nothing here", "Check the address."));
      return;
    }
    ctx.cookie(cookie(ctx, ConsoleAuthentication.ATTEMPT_COOKIE, "", Duration.ZERO));
    var how = "by " + provider.get().name();
    switch (signIn.complete(
        provider.get(),
        parameter(ctx, "code"),
        parameter(ctx, "state"),
        Optional.ofNullable(ctx.header("Cookie")),
        authentication,
        access)) {
      case SignInProviders.Result.Entered(var person, var session, var to) -> {
        audit.signedIn(person.actor(), how);
        ctx.cookie(
            cookie(
                ctx,
                ConsoleAuthentication.COOKIE,
                session,
                ConsoleAuthentication.PERSON_SESSION_LIFETIME));
        ctx.status(303).header("Location", to);
      }
      case SignInProviders.Result.Refused(var who, var why, var rule) -> {
        if (rule.equals("policy")) {
          audit.signInRefused(who, how, rule);
        }
        ctx.status(rule.equals("policy") ? 403 : 401).html(guard.signIn("Not signed in", why, "/"));
      }
    }
  }

  private static String parameter(Context ctx, String name) {
    return Objects.requireNonNullElse(ctx.queryParam(name), "");
  }

  /// A link only signs in when its page posts it: previews and prefetching browsers open links,
  /// too, and must not use them up.
  private void showSignIn(Context ctx) {
    var link = ctx.queryParam("link");
    ctx.html(link == null ? guard.signIn("Sign in", "", "/") : guard.pages().enterByLink(link));
  }

  private void enter(Context ctx) throws IOException {
    var form = guard.form(ctx);
    if (form.isEmpty()) {
      return;
    }
    var to = VisitorGuard.isPage(form.get().to()) ? form.get().to() : "/";
    var link = form.get().signInLink();
    if (!link.isEmpty()) {
      answer(
          ctx,
          authentication.enterWithLink(link),
          "by a link",
          to,
          "This link was already used, or has expired.");
      return;
    }
    var entry = authentication.enterWithToken(form.get().token());
    // Attempts with links are not limited; wrong tokens are slowed down.
    if (entry instanceof ConsoleAuthentication.Entry.Wrong && authentication.hasToken()) {
      audit.signInRefused(ConsoleSurface.PERSON, BY_TOKEN, "wrong");
    }
    answer(ctx, entry, BY_TOKEN, to, "This token is not valid.");
  }

  /// @param how the way of signing in: `by a link`
  private void answer(
      Context ctx, ConsoleAuthentication.Entry entry, String how, String to, String whyNot) {
    switch (entry) {
      case ConsoleAuthentication.Entry.Entered(var session) -> {
        audit.signedIn(ConsoleSurface.PERSON, how);
        ctx.cookie(
            cookie(
                ctx,
                ConsoleAuthentication.COOKIE,
                session,
                ConsoleAuthentication.SESSION_LIFETIME));
        ctx.status(303).header("Location", to);
      }
      case ConsoleAuthentication.Entry.Wrong _ ->
          ctx.status(401).html(guard.signIn("Not signed in", whyNot, to));
      case ConsoleAuthentication.Entry.Later(var after) -> {
        ctx.status(429).header("Retry-After", Long.toString(after.toSeconds() + 1));
        ctx.html(guard.signIn("Not now", "Too many wrong tokens. Wait half a minute.", to));
      }
    }
  }

  private void leave(Context ctx, Visitor visitor) throws IOException {
    var form = guard.form(ctx);
    if (form.isEmpty()) {
      return;
    }
    if (form.get().action().equals("everywhere") && !guard.may(visitor, Permission.CONFIGURE)) {
      guard.forbidden(ctx, "sign out everybody");
      return;
    }
    if (form.get().action().equals("everywhere")) {
      authentication.leaveEverywhere();
      audit.signedOut(visitor.actor(), "all sessions");
    } else {
      authentication.leave(Optional.ofNullable(ctx.header("Cookie")));
      audit.signedOut(visitor.actor(), "this session");
    }
    ctx.cookie(cookie(ctx, ConsoleAuthentication.COOKIE, "", Duration.ZERO));
    ctx.status(303).header("Location", ConsoleAuthentication.SIGN_IN_PATH);
  }

  private Cookie cookie(Context ctx, String name, String value, Duration age) {
    var cookie = new Cookie(name, value);
    cookie.setPath("/");
    cookie.setMaxAge((int) age.toSeconds());
    cookie.setHttpOnly(true);
    cookie.setSecure(isHttps || "https".equals(ctx.header("X-Forwarded-Proto")));
    // Lax, because people follow links from Slack and issues; actions also need the page's key.
    cookie.setSameSite(SameSite.LAX);
    return cookie;
  }
}
