package dev.runnel.service.workspace;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/// A repository of an environment.
///
/// @param url the location for git: `https`, `ssh` or `file` URL, `user@host:path`, or a folder
/// @param ref branch, tag or commit; default: the default branch
/// @param folder name of its folder in the workspace
/// @param token name of the variable that holds the token for an `https` URL
/// @param push whether isolated agents may fetch and push with the token, without receiving it
public record Repository(
    String url, Optional<String> ref, String folder, Optional<String> token, boolean push) {
  private static final Pattern SHORT = Pattern.compile("^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+");
  private static final Pattern SSH = Pattern.compile("^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^:]+");
  private static final Pattern REF = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/+@-]*");
  private static final Pattern FOLDER = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");
  private static final Set<String> SCHEMES = Set.of("https", "http", "ssh", "git", "file");
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "localhost", "[::1]");

  /// @throws IllegalArgumentException if a value is invalid; the message says what to write
  ///   instead, and never contains a value that may be secret
  public Repository {
    checkUrl(url);
    if (ref.isPresent() && (!REF.matcher(ref.get()).matches() || ref.get().contains(".."))) {
      throw new IllegalArgumentException("ref must name a branch, a tag or a commit");
    }
    if (!FOLDER.matcher(folder).matches()) {
      throw new IllegalArgumentException("folder must be a plain name, like shop");
    }
    if (token.isPresent() && !acceptsToken(url)) {
      throw new IllegalArgumentException("token is only for an https URL");
    }
    if (push && token.isEmpty()) {
      throw new IllegalArgumentException(
          "push needs the name of the variable with a token in token");
    }
  }

  /// @param location a URL, a folder that begins with `/` or `.`, or `owner/name` on GitHub
  public static Repository of(
      String location, Optional<String> ref, Optional<String> folder, Optional<String> token) {
    return of(location, ref, folder, token, false);
  }

  /// @param push whether isolated agents may fetch and push with the token
  public static Repository of(
      String location,
      Optional<String> ref,
      Optional<String> folder,
      Optional<String> token,
      boolean push) {
    var url =
        SHORT.matcher(location).matches() ? "https://github.com/" + location + ".git" : location;
    return new Repository(url, ref, folder.orElseGet(() -> lastSegment(url)), token, push);
  }

  /// `owner/name` from the end of the URL; only the name if there is no owner.
  public String fullName() {
    var path =
        url.replaceAll("(?<!/)/+$", "")
            .replaceAll("(?<!/|\\.git)(?:/|\\.git)++$", "")
            .replace(':', '/');
    var name = path.lastIndexOf('/');
    var owner = name <= 0 ? -1 : path.lastIndexOf('/', name - 1);
    return path.substring(owner + 1);
  }

  /// Whether a skill's `owner/repo` or `repo` refers to this repository. Case-insensitive, as on
  /// forges.
  boolean matches(String wanted) {
    var full = fullName().toLowerCase(Locale.ROOT);
    var lowerCase = wanted.toLowerCase(Locale.ROOT);
    return full.equals(lowerCase) || full.endsWith("/" + lowerCase) || folder.equals(wanted);
  }

  /// The only origin that may receive its token: `https://host[:port]`.
  String origin() {
    var uri = URI.create(url);
    return uri.getScheme() + "://" + uri.getRawAuthority();
  }

  private static String lastSegment(String url) {
    var path = url.replaceAll("(?<!/|\\.git)(?:/|\\.git)++$", "");
    return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf(':')) + 1);
  }

  private static void checkUrl(String url) {
    if (url.startsWith("/") || url.startsWith("./") || url.startsWith("../")) {
      return;
    }
    if (SSH.matcher(url).matches()) {
      return;
    }
    var uri = uri(url);
    if (uri.isEmpty() || !SCHEMES.contains(String.valueOf(uri.get().getScheme()))) {
      throw new IllegalArgumentException(
          "must be owner/name on GitHub, a URL that git can clone, or a folder that begins"
              + " with / or .");
    }
    var user = uri.get().getRawUserInfo();
    if (user != null && (user.contains(":") || url.startsWith("http"))) {
      throw new IllegalArgumentException(
          "contains a user name or a password: leave it out, and put the name of the variable with"
              + " the token in token");
    }
  }

  private static boolean acceptsToken(String url) {
    return uri(url)
        .filter(
            uri ->
                "https".equals(uri.getScheme())
                    || ("http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost())))
        .isPresent();
  }

  private static Optional<URI> uri(String url) {
    try {
      return Optional.of(new URI(url));
    } catch (URISyntaxException _) {
      return Optional.empty();
    }
  }
}
