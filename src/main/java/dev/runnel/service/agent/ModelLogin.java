package dev.runnel.service.agent;

import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;

/// How an agent signs in to a model provider with a key. With this, the proxy adds the key to
/// requests, so that isolated agents do not have it.
///
/// @param keys names of the variables that hold a key
/// @param baseUrl name of the variable that holds the provider's base URL
/// @param defaultUrl the base URL if that variable is not set
/// @param calls the requests that the agent needs, as `METHOD PATH` with the path below the base
///   URL
public record ModelLogin(List<String> keys, String baseUrl, URI defaultUrl, Pattern calls) {
  static final ModelLogin ANTHROPIC =
      of(
          List.of("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
          "ANTHROPIC_BASE_URL",
          "https://api.anthropic.com",
          "POST /v1/messages(/count_tokens)?|GET /v1/models(/NAME)?");

  static final ModelLogin OPENAI =
      of(
          List.of("CODEX_API_KEY", "OPENAI_API_KEY"),
          "OPENAI_BASE_URL",
          "https://api.openai.com/v1",
          "POST /(responses(/compact)?|chat/completions)|GET /models(/NAME)?");

  static final ModelLogin GEMINI =
      of(
          List.of("GEMINI_API_KEY", "GOOGLE_API_KEY"),
          "GOOGLE_GEMINI_BASE_URL",
          "https://generativelanguage.googleapis.com",
          "POST /v1(beta)?/models/CALL|GET /v1(beta)?/models(/NAME)?");

  /// The same models, if `GOOGLE_GENAI_USE_VERTEXAI` is set.
  static final ModelLogin VERTEX =
      of(
          List.of("GOOGLE_API_KEY"),
          "GOOGLE_VERTEX_BASE_URL",
          "https://aiplatform.googleapis.com",
          "POST /v1(beta1)?/publishers/google/models/CALL");

  public ModelLogin {
    keys = List.copyOf(keys);
  }

  private static ModelLogin of(List<String> keys, String baseUrl, String defaultUrl, String calls) {
    var pattern =
        calls
            .replace(
                "CALL", "NAME:(generateContent|streamGenerateContent|countTokens|embedContent)")
            .replace("NAME", "[A-Za-z0-9][A-Za-z0-9_.@-]*");
    return new ModelLogin(keys, baseUrl, URI.create(defaultUrl), Pattern.compile(pattern));
  }
}
