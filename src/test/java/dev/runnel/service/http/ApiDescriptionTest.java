package dev.runnel.service.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import dev.runnel.memory.MemoryBudget;
import dev.runnel.memory.Share;
import dev.runnel.service.store.query.RunQuery;
import io.javalin.Javalin;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The description of the API is that of its routes. `docs/openapi.json` and the table in
/// `docs/http-api.md` are made from it; to write them anew: `mvn test -Dtest=ApiDescriptionTest
/// -Drunnel.write=true`.
class ApiDescriptionTest {
  private static final Share MEMORY = MemoryBudget.of(256L << 20).share(MemoryBudget.Kind.READERS);

  private static final Path FILE = Path.of("docs/openapi.json");
  private static final Path PAGE = Path.of("docs/http-api.md");
  private static final List<Class<?>> RESOURCES =
      List.of(
          RunRoutes.class,
          FactoryRoutes.class,
          FileRoutes.class,
          IdentityRoutes.class,
          ScheduleRoutes.class,
          KeyRoutes.class,
          CatalogRoutes.class);

  private static final Pattern READ =
      Pattern.compile(
          "\\b(?:queryParam|flag|intParam|one|all|filterBy|time|startsWith)\\("
              + "\\s*(?:ctx,\\s*)?\"(?<name>\\w+)[\\[\"]");

  private final ObjectMapper json = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  /// What is registered; nothing of it is called.
  @SuppressWarnings("NullAway")
  private static List<String> routes(List<Class<?>> resources) {
    var all = new ArrayList<Api>();
    Javalin.create(
        config -> {
          var api = new Api(config.routes, new AuthFilter(null, null), MEMORY);
          for (var type : resources) {
            try {
              Constructor<?> made = type.getConstructors()[0];
              var resource = made.newInstance(new Object[made.getParameterCount()]);
              type.getMethod("register", Api.class).invoke(resource, api);
            } catch (ReflectiveOperationException e) {
              throw new IllegalStateException(type.getName(), e);
            }
          }
          all.add(api);
        });
    return all.getFirst().registered().stream().filter(it -> !it.startsWith("HEAD ")).toList();
  }

  @Test
  void apiDescriptionContainsExactlyTheExistingRoutes() {
    var described = ApiDescription.ALL.stream().map(ApiDescription.Operation::route).toList();

    assertThat(described)
        .contains("GET /openapi.json")
        .filteredOn(route -> !route.equals("GET /openapi.json"))
        .containsExactlyInAnyOrderElementsOf(routes(RESOURCES));
  }

  /// The source is searched for the names, since many are read only in certain states.
  @ParameterizedTest
  @MethodSource("resources")
  void describesTheQueryParametersThatTheRoutesReadAndNoOthers(Class<?> resource) throws Exception {
    var routes = routes(List.of(resource));
    var described =
        ApiDescription.ALL.stream()
            .filter(operation -> routes.contains(operation.route()))
            .flatMap(operation -> operation.parameters().stream())
            .filter(parameter -> parameter.place().equals("query"))
            .map(ApiParameter::name)
            .collect(Collectors.toSet());
    var read = new TreeSet<String>();
    var source = source(resource);
    read.addAll(read(source));
    if (source.contains("links.isValid(")) {
      read.addAll(read(source(SignedLinks.class)));
    }
    if (source.contains("actions.list(")) {
      read.addAll(read(source(RunQuery.class)));
    }

    assertThat(described).isEqualTo(read);
  }

  static List<Class<?>> resources() {
    return RESOURCES;
  }

  private static String source(Class<?> type) throws IOException {
    return Files.readString(Path.of("src/main/java", type.getName().replace('.', '/') + ".java"));
  }

  private static Set<String> read(String source) {
    return READ.matcher(source)
        .results()
        .map(found -> found.group("name"))
        .collect(Collectors.toSet());
  }

  @Test
  void everyReferenceResolvesAndOperationIdsAreUnique() {
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
        withTable(withTable(page, "operations", table()), "unserved", UnservedPath.table());
    if (Boolean.getBoolean("runnel.write")) {
      Files.writeString(FILE, document);
      Files.writeString(PAGE, written);
    }

    JsonNode known = json.readTree(Files.readString(FILE));
    assertThat(known).isEqualTo(ApiDescription.document());
    assertThat(page).isEqualTo(written);
  }

  private static String withTable(String page, String name, String table) {
    var begin = "<!-- %s -->\n".formatted(name);
    return page.substring(0, page.indexOf(begin) + begin.length())
        + table
        + page.substring(page.indexOf("<!-- end of %s -->".formatted(name)));
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
    return type == null ? "" : type == String.class ? "a string" : "`" + type.getSimpleName() + "`";
  }
}
