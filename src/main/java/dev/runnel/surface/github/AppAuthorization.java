package dev.runnel.surface.github;

import java.io.IOException;
import java.time.InstantSource;
import java.util.regex.Pattern;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/// Adds to each call the token of its repository's installation; calls without a repository are
/// made as the app itself. A rejected token is renewed once.
record AppAuthorization(AppKey key, InstallationTokens tokens, InstantSource clock)
    implements Interceptor {
  private static final Pattern REPOSITORY = Pattern.compile("/repos/(?<name>[^/]+/[^/]+)(?:/|$)");
  private static final MediaType JSON = MediaType.get("application/json");

  @Override
  public Response intercept(Chain chain) throws IOException {
    var request = chain.request();
    var repository = REPOSITORY.matcher(request.url().encodedPath());
    if (!repository.find()) {
      return chain.proceed(with(request, key.token(clock.instant())));
    }
    var name = repository.group("name");
    try {
      var token = tokens.of(name);
      var response = chain.proceed(with(request, token));
      if (response.code() != 401) {
        return response;
      }
      response.close();
      tokens.drop(token);
      return chain.proceed(with(request, tokens.of(name)));
    } catch (InstallationTokens.Refused refused) {
      return tokenResponse(request, refused);
    }
  }

  private static Request with(Request request, String token) {
    return request.newBuilder().header("Authorization", "Bearer " + token).build();
  }

  /// The response for a call that cannot be made, with GitHub's response to the token request.
  private static Response tokenResponse(Request request, InstallationTokens.Refused refused) {
    var response = refused.response();
    // A token response that cannot be read counts as an error.
    var status = response.isGood() ? 502 : response.status();
    return new Response.Builder()
        .request(request)
        .protocol(Protocol.HTTP_1_1)
        .code(status)
        .message("No token")
        .headers(
            response
                .headers()
                .newBuilder()
                .removeAll("Content-Encoding")
                .removeAll("Content-Length")
                .build())
        .body(ResponseBody.create(response.isGood() ? "{}" : response.body().toString(), JSON))
        .build();
  }
}
