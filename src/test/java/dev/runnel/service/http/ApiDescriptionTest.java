package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.javalin.Javalin;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// The description of the API is that of its routes. `docs/openapi.json` and the table in
/// `docs/http-api.md` are made from it; to write them anew: `mvn test -Dtest=ApiDescriptionTest
/// -Drunnel.write=true`.
class ApiDescriptionTest {
  private static final Path FILE = Path.of("docs/openapi.json");
  private static final Path PAGE = Path.of("docs/http-api.md");
  private static final String BEGIN = "<!-- operations -->\n";
  private static final String END = "<!-- end of operations -->";
  private static final List<Class<?>> RESOURCES =
      List.of(
          RunRoutes.class,
          FactoryRoutes.class,
          FileRoutes.class,
          IdentityRoutes.class,
          ScheduleRoutes.class,
          KeyRoutes.class,
          CatalogRoutes.class);

  private final ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /// What is registered; nothing of it is called.
  @SuppressWarnings("NullAway")
  private static List<String> routes() throws Exception {
    var all = new ArrayList<Api>();
    Javalin.create(
        config -> {
          var api = new Api(config.routes, new AuthFilter(null, null));
          for (var type : RESOURCES) {
            try {
              Constructor<?> made = type.getConstructors()[0];
              var resource = made.newInstance(new Object[made.getParameterCount()]);
              type.getMethod("register", Api.class).invoke(resource, api);
            } catch (ReflectiveOperationException e) {
              throw new IllegalStateException(type.getName(), e);
            }
          }
          ApiDescription.register(api);
          all.add(api);
        });
    return all.getFirst().registered().stream().filter(it -> !it.startsWith("HEAD ")).toList();
  }

  @Test
  void hasAllRoutesAndNoOthers() throws Exception {
    var described = ApiDescription.ALL.stream().map(ApiDescription.Operation::route).toList();

    assertThat(described).containsExactlyInAnyOrderElementsOf(routes());
  }

  @Test
  void everyReferenceLeadsToASchemaAndEveryIdIsItsOwn() {
    var document = ApiDescription.document();

    assertThat(document.findValuesAsText("$ref"))
        .isNotEmpty()
        .allMatch(it -> !document.at(it.substring(1)).isMissingNode());
    assertThat(document.findValuesAsText("operationId")).doesNotHaveDuplicates();
    assertThat(document.at("/components/schemas/RunItem/properties/state/type").asText())
        .isEqualTo("string");
    assertThat(document.at("/components/schemas/RunItem/properties/created_at/format").asText())
        .isEqualTo("date-time");
  }

  @Test
  void anOperationThatIsAlwaysRefusedHasNoSuccessfulResponse() {
    var responses =
        ApiDescription.document()
            .at("/paths/~1agent~1runs~1{id}~1interrupt/post/responses")
            .fieldNames();

    assertThat(responses).toIterable().containsExactly("422", "default");
  }

  @Test
  void theFileAndThePageAreUpToDate() throws Exception {
    var document = json.writeValueAsString(ApiDescription.document()) + "\n";
    var page = Files.readString(PAGE);
    var written =
        page.substring(0, page.indexOf(BEGIN) + BEGIN.length())
            + table()
            + page.substring(page.indexOf(END));
    if (Boolean.getBoolean("runnel.write")) {
      Files.writeString(FILE, document);
      Files.writeString(PAGE, written);
    }

    JsonNode known = json.readTree(Files.readString(FILE));
    assertThat(known).isEqualTo(ApiDescription.document());
    assertThat(page).isEqualTo(written);
  }

  private static String table() {
    return "\n| call | does | takes | answers |\n|---|---|---|---|\n"
        + ApiDescription.ALL.stream()
            .map(
                it ->
                    "| `%s` | %s%s | %s | %s |\n"
                        .formatted(
                            it.route(),
                            it.summary(),
                            it.isOpen() ? " (no key)" : "",
                            name(it.body()),
                            name(it.response())))
            .collect(Collectors.joining())
        + "\n";
  }

  private static String name(@Nullable Class<?> type) {
    return type == null ? "" : "`" + type.getSimpleName() + "`";
  }
}
