package dev.runnel.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.runnel.wire.CreateRun;
import dev.runnel.wire.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// What a refused request tells whoever sent it.
class RunsExceptionTest extends ClientFixture {
  private static final CreateRun FIX_IT = CreateRun.of("fix it");

  @ParameterizedTest
  @CsvSource({
    "400, invalid_request,          BadRequest",
    "401, authentication_required,  Unauthorized",
    "403, insufficient_credits,     Forbidden",
    "404, resource_not_found,       NotFound",
    "409, conflict,                 Conflict",
    "410, gone,                     OtherStatus",
    "422, operation_not_supported,  Unprocessable",
    "429, resource_unavailable,     TooMany",
    "500, environment_setup_failed, ServerFailed",
  })
  void eachStatusHasItsClassAndItsProblem(int status, String code, String name) throws Exception {
    server.enqueue(
        problem(status, code, ", \"trace_id\": \"t1\", \"auth_url\": \"https://a.example/\"")
            .newBuilder()
            .setHeader("X-Request-Id", "q1")
            .build());
    var failure = catchThrowableOfType(RunsException.class, () -> once().runs().get("r1").send());

    assertThat(failure.getClass().getSimpleName()).isEqualTo(name);
    assertThat(failure.status()).hasValue(status);
    assertThat(failure.code()).isEqualTo(new ErrorCode(code));
    assertThat(failure.title()).contains("It went wrong");
    assertThat(failure.traceId()).contains("t1");
    assertThat(failure.requestId()).contains("q1");
    assertThat(failure.problem().orElseThrow().authUrl()).isEqualTo("https://a.example/");
    assertThat(failure)
        .hasMessage(
            "Could not read run r1: It went wrong (%d %s, trace t1, request q1)", status, code);
  }

  @Test
  void anErrorPageOfAProxyIsAnErrorWithoutAProblem() {
    server.enqueue(answer(502, "<html>Bad gateway</html>", "text/html").build());

    var failure = catchThrowableOfType(RunsException.class, () -> once().runs().get("r1").send());

    assertThat(failure).isInstanceOf(RunsException.ServerFailed.class);
    assertThat(failure.problem()).isEmpty();
    assertThat(failure.code().value()).isEmpty();
    assertThat(failure)
        .hasMessage("Could not read run r1: the run service answered with an error (502)");
  }

  @ParameterizedTest
  @CsvSource({
    "400, invalid_request,          '',                    false",
    "409, conflict,                 '',                    true",
    "409, conflict,                 ', \"retryable\": false', false",
    "429, resource_unavailable,     '',                    true",
    "500, internal_error,           '',                    true",
    "500, internal_error,           ', \"retryable\": false', false",
    "500, environment_setup_failed, '',                    false",
    "500, environment-setup-failed, '',                    false",
    "404, resource_not_found,       ', \"retryable\": true',  true",
  })
  void retryableMemberTakesPrecedenceOverStatusAndCode(
      int status, String code, String members, boolean retryable) {
    server.enqueue(problem(status, code, members));

    var failure = catchThrowableOfType(RunsException.class, () -> once().runs().get("r1").send());

    assertThat(failure.retryable()).isEqualTo(retryable);
  }

  @ParameterizedTest
  @CsvSource({"400, false", "408, true", "409, false", "422, false", "429, false", "500, true"})
  void onlySomeStatusesLeaveACreationInDoubt(int status, boolean inDoubt) {
    server.enqueue(problem(status, "x"));

    var failure =
        catchThrowableOfType(RunsException.class, () -> once().runs().create(FIX_IT).send());

    assertThat(failure.mayHaveHappened()).isEqualTo(inDoubt);
  }

  @Test
  void messageOmitsTheKeyEvenIfTheServiceQuotesIt() {
    server.enqueue(problem(401, "authentication_required", ", \"detail\": \"Bad " + KEY + "\""));

    var failure = catchThrowableOfType(RunsException.class, () -> once().runs().get("r1").send());

    assertThat(failure).hasMessageContaining("Bad …").hasMessageNotContaining(KEY);
  }

  private RunsClient once() {
    return builder().maxRetries(0).build();
  }
}
