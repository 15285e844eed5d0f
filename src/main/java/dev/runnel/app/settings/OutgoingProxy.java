package dev.runnel.app.settings;

import dev.runnel.core.port.ProxyRefused;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import okhttp3.Challenge;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.Route;
import org.jspecify.annotations.Nullable;

/// The proxy between Runnel and the internet, as `HTTPS_PROXY` and `NO_PROXY` describe it for git
/// and other programs. Runnel's own clients use it for `https` addresses. A proxy in the options of
/// Java takes precedence; it gets the login if it is the same one.
public final class OutgoingProxy {
  /// OkHttp asks with this scheme before the first request to a proxy.
  private static final String BEFORE_THE_REQUEST = "OkHttp-Preemptive";

  private static final String LOGIN_HEADER = "Proxy-Authorization";
  private static final String JAVA_OPTION = "https.proxyHost";
  private static final int MAX_PORT = 65_535;

  /// Empty without `HTTPS_PROXY`.
  private final Optional<InetSocketAddress> address;

  private final Optional<Login> login;
  private final List<String> direct;
  private final boolean isSetForJava;

  private record Login(String user, String password) {
    String header() {
      return Credentials.basic(user, password, StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
      return "Login";
    }
  }

  private OutgoingProxy(Optional<URI> url, List<String> direct, boolean isSetForJava) {
    this.address = url.map(it -> InetSocketAddress.createUnresolved(it.getHost(), it.getPort()));
    this.login = url.map(URI::getRawUserInfo).map(OutgoingProxy::login);
    this.direct = direct;
    this.isSetForJava = isSetForJava;
  }

  /// @throws SettingsException if `HTTPS_PROXY` is not the address of a proxy
  public static OutgoingProxy of(Settings settings) {
    return of(settings, System.getProperty(JAVA_OPTION) != null);
  }

  static OutgoingProxy of(Settings settings, boolean isSetForJava) {
    return new OutgoingProxy(
        settings.get(RunnelSettings.HTTPS_PROXY).map(it -> url(settings, it)),
        settings
            .get(RunnelSettings.NO_PROXY)
            .map(it -> Stream.of(it.split(",")).map(OutgoingProxy::host).toList())
            .orElse(List.of()),
        isSetForJava);
  }

  /// Never names the value, which may be secret.
  private static URI url(Settings settings, String text) {
    try {
      var stripped = text.strip();
      var url = new URI(stripped.contains("://") ? stripped : "http://" + stripped);
      if ("http".equals(url.getScheme())
          && url.getHost() != null
          && url.getPort() > 0
          && url.getPort() <= MAX_PORT
          && url.getRawPath().matches("/?")
          && url.getRawQuery() == null
          && url.getRawFragment() == null) {
        return url;
      }
    } catch (URISyntaxException e) {
      // Reported below.
    }
    throw settings.wrong(
        ("%s is not the address of a proxy. It should read like http://proxy.corp:3128, or with a"
                + " login http://USER:PASSWORD@proxy.corp:3128. In the password, write %%40 for @,"
                + " %%3A for :, %%2F for / and %%25 for %%.")
            .formatted(RunnelSettings.HTTPS_PROXY));
  }

  private static Login login(String userInfo) {
    var parts = userInfo.split(":", 2);
    return new Login(decode(parts[0]), parts.length < 2 ? "" : decode(parts[1]));
  }

  /// In a user or a password, unlike in a form, `+` is no space.
  static String decode(String text) {
    return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
  }

  /// `corp` for `.corp` and `*.corp`, as programs write them.
  private static String host(String entry) {
    return entry.strip().toLowerCase(Locale.ROOT).replaceFirst("^(\\*\\.|\\.)", "");
  }

  /// Lets a client connect through the proxy, with its login.
  public OkHttpClient.Builder apply(OkHttpClient.Builder client) {
    if (address.isPresent() && !isSetForJava) {
      client.proxySelector(new Selector(address.get()));
    }
    return client.proxyAuthenticator(this::authenticate);
  }

  private boolean isDirect(String host) {
    var name = host.toLowerCase(Locale.ROOT).replaceAll("[\\[\\]]", "");
    return name.equals("localhost")
        || name.startsWith("127.")
        || name.equals("::1")
        || direct.stream()
            .filter(each -> !each.isEmpty())
            .anyMatch(each -> each.equals("*") || name.equals(each) || name.endsWith("." + each));
  }

  /// Adds the login. It is sent to its own proxy only.
  private @Nullable Request authenticate(@Nullable Route route, Response response)
      throws IOException {
    var proxy = route == null ? Optional.<SocketAddress>empty() : proxy(route);
    var header = login.filter(_ -> proxy.equals(address)).map(Login::header);
    var isBefore =
        response.challenges().stream().map(Challenge::scheme).anyMatch(BEFORE_THE_REQUEST::equals);
    if (header.isPresent() && response.request().header(LOGIN_HEADER) == null) {
      return response.request().newBuilder().header(LOGIN_HEADER, header.get()).build();
    }
    if (isBefore) {
      return null;
    }
    throw new ProxyRefused(
        "the proxy %s %s".formatted(proxy.map(OutgoingProxy::name).orElse(""), why(response)));
  }

  private static Optional<SocketAddress> proxy(Route route) {
    return Optional.ofNullable(route.proxy().address());
  }

  private static String name(SocketAddress address) {
    return address instanceof InetSocketAddress known
        ? known.getHostString() + ":" + known.getPort()
        : address.toString();
  }

  private static String why(Response response) {
    if (response.request().header(LOGIN_HEADER) != null) {
      return "refuses the login (407): correct the user and the password in "
          + RunnelSettings.HTTPS_PROXY;
    }
    var schemes =
        response.challenges().stream().map(Challenge::scheme).collect(Collectors.joining(", "));
    return schemes.isEmpty() || schemes.contains("Basic")
        ? "requires a login (407): set %s=http://USER:PASSWORD@HOST:PORT"
            .formatted(RunnelSettings.HTTPS_PROXY)
        : "accepts only logins by %s (407), and Runnel sends a user and a password (Basic)"
            .formatted(schemes);
  }

  /// Omits the login.
  @Override
  public String toString() {
    return "OutgoingProxy[" + address.map(OutgoingProxy::name).orElse("none") + "]";
  }

  private final class Selector extends ProxySelector {
    private final Proxy proxy;
    private final @Nullable ProxySelector others = ProxySelector.getDefault();

    private Selector(InetSocketAddress address) {
      this.proxy = new Proxy(Proxy.Type.HTTP, address);
    }

    @Override
    public List<Proxy> select(URI uri) {
      if ("https".equals(uri.getScheme())) {
        return List.of(isDirect(uri.getHost()) ? Proxy.NO_PROXY : proxy);
      }
      return others == null ? List.of(Proxy.NO_PROXY) : others.select(uri);
    }

    @Override
    public void connectFailed(URI uri, SocketAddress address, IOException problem) {
      // OkHttp reports the problem.
    }
  }
}
