package dev.runnel.surface.slack.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.slack.api.RequestConfigurator;
import com.slack.api.Slack;
import com.slack.api.methods.MethodsClient;
import com.slack.api.methods.SlackApiException;
import com.slack.api.methods.request.auth.AuthTestRequest.AuthTestRequestBuilder;
import com.slack.api.methods.response.auth.AuthTestResponse;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Optional;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.Mock;
import org.mockito.junit.jupiter.MockitoExtension;
import org.mockito.stubbing.OngoingStubbing;

/// What becomes of each way in which a call through Slack's client can fail.
@ExtendWith(MockitoExtension.class)
class SlackApiTest {
  private static final String TOKEN = "xoxb-test-token";

  @Mock private Slack slack;
  @Mock private MethodsClient methods;
  private SlackApi api;

  @BeforeEach
  void make() {
    when(slack.methods(TOKEN)).thenReturn(methods);
    api = new SlackApi(slack, Optional.of(TOKEN), SlackResponse.No::new, null);
  }

  @ParameterizedTest
  @CsvSource({"429, 30, PT30S", "429, soon, ", "503, , ", "500, 5, PT5S", "408, , "})
  void temporaryStatusIsReportedWithTheRetryDelay(
      int status, String retryAfter, @Nullable Duration expected) throws Exception {
    calling().thenThrow(status(status, retryAfter));

    assertThat(api.identity())
        .isEqualTo(
            new SlackResponse.Wait<>(
                Optional.ofNullable(expected), "Slack responded with status " + status));
  }

  @ParameterizedTest
  @CsvSource({"400", "403", "404"})
  void otherStatusIsPermanent(int status) throws Exception {
    calling().thenThrow(status(status, null));

    assertThat(api.identity()).isEqualTo(new SlackResponse.No<>("http_" + status));
  }

  @ParameterizedTest
  @CsvSource({"ratelimited, true", "internal_error, true", "invalid_auth, false", ", false"})
  void errorCodeIsTemporaryOrPermanent(@Nullable String error, boolean passes) throws Exception {
    var response = new AuthTestResponse();
    response.setError(error);
    calling().thenReturn(response);

    assertThat(api.identity())
        .isEqualTo(
            passes
                ? new SlackResponse.Wait<>(Optional.empty(), "Slack responded with error " + error)
                : new SlackResponse.No<>(error == null ? "no_error_code" : error));
  }

  @Test
  void unreachableSlackIsCalledOnceAndReportedAsTemporary() throws Exception {
    calling().thenThrow(new SocketTimeoutException("xoxb-in-a-message"), new EOFException());

    assertThat(api.identity())
        .isEqualTo(
            new SlackResponse.Wait<>(
                Optional.empty(), "Slack is unreachable: SocketTimeoutException"));
    verify(methods).authTest(SlackApiTest.<AuthTestRequestBuilder>anyRequest());
  }

  @Test
  void unreadableResponseIsTemporary() throws Exception {
    calling().thenThrow(new IllegalStateException("<html>"));

    assertThat(api.identity())
        .isEqualTo(
            new SlackResponse.Wait<>(
                Optional.empty(), "unreadable response: IllegalStateException"));
  }

  private OngoingStubbing<AuthTestResponse> calling() throws IOException, SlackApiException {
    return when(methods.authTest(SlackApiTest.<AuthTestRequestBuilder>anyRequest()));
  }

  private static <T> RequestConfigurator<T> anyRequest() {
    return any();
  }

  private static SlackApiException status(int status, @Nullable String retryAfter) {
    var response =
        new Response.Builder()
            .request(new Request.Builder().url("https://slack.com/api/auth.test").build())
            .protocol(Protocol.HTTP_1_1)
            .code(status)
            .message("");
    if (retryAfter != null) {
      response.header("Retry-After", retryAfter);
    }
    return new SlackApiException(response.build(), "");
  }
}
