package dev.runnel.surface.kit;

import java.io.IOException;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Response;

/// Keeps requests on the host that they were meant for: a redirect to another host is returned
/// instead of followed, because OkHttp would repeat the headers with the token there, all but
/// `Authorization`. To be added as a network interceptor.
public final class SameHostRedirects implements Interceptor {
  private static final String LOCATION = "Location";

  @Override
  public Response intercept(Chain chain) throws IOException {
    var url = chain.request().url();
    var response = chain.proceed(chain.request());
    var location = response.header(LOCATION);
    if (location == null || !response.isRedirect()) {
      return response;
    }
    var target = url.resolve(location);
    return target != null && isSameHost(url, target)
        ? response
        : response.newBuilder().removeHeader(LOCATION).build();
  }

  /// Also from plain HTTP to TLS at their usual ports.
  private static boolean isSameHost(HttpUrl from, HttpUrl to) {
    var isSameOrigin = from.scheme().equals(to.scheme()) && from.port() == to.port();
    var isUpgrade = !from.isHttps() && to.isHttps() && from.port() == 80 && to.port() == 443;
    return from.host().equals(to.host()) && (isSameOrigin || isUpgrade);
  }
}
