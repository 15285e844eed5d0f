package dev.runnel.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.run.Run;
import dev.runnel.core.model.run.RunState;
import dev.runnel.core.model.run.Snapshot;
import dev.runnel.database.Database;
import dev.runnel.store.row.StoredJson;
import dev.runnel.testkit.Samples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.converter.ArgumentConversionException;
import org.junit.jupiter.params.converter.ArgumentConverter;
import org.junit.jupiter.params.converter.ConvertWith;
import org.junit.jupiter.params.provider.CsvSource;

/// Rows that earlier versions wrote.
class OldRowsTest {
  @Test
  void aRunWithoutItsEmptyFieldsIsRead() {
    var run = Samples.run("r1", RunState.RUNNING);
    var written = StoredJson.write(run);
    assertThat(written).doesNotContain("environment", "model", "null");

    assertThat(StoredJson.read(written, Run.class)).isEqualTo(run);
  }

  @Test
  void aRunWithNullInItsEmptyFieldsIsRead() {
    var run = Samples.run("r1", RunState.RUNNING);
    var old = StoredJson.write(run).replaceFirst("}$", ",\"environment\":null,\"model\":null}");

    assertThat(StoredJson.read(old, Run.class)).isEqualTo(run);
  }

  @Test
  void deliveryWithoutAnIssueSnapshotIsRead() {
    var plain = Samples.delivery("1", Samples.say("fix it"));
    var now =
        plain.withSnapshot(
            new Snapshot(Optional.of(Samples.NINE), Optional.of("Title"), Optional.of("Body")));
    assertThat(StoredJson.read(StoredJson.write(now), Delivery.class)).isEqualTo(now);

    var old = StoredJson.write(plain).replaceAll(",\"snapshot\":\\{[^}]*}", "");
    assertThat(old).doesNotContain("snapshot");
    assertThat(StoredJson.read(old, Delivery.class)).isEqualTo(plain);
  }

  @ParameterizedTest
  @CsvSource({"inbox, Delivery", "outbox, Notice", "bindings, Binding"})
  void everyRowOfAnOlderDatabaseIsReadAndWrittenAsItWas(
      String table, @ConvertWith(ModelType.class) Class<?> type, @TempDir Path folder)
      throws Exception {
    var file = folder.resolve("runnel.db");
    Files.copy(Path.of("src/test/resources/upgrade/runnel.db"), file);
    try (var database = Database.sqlite(file).migrate(SqlStore.SCHEMA)) {
      var bodies =
          database.<List<String>>read(
              rows -> rows.list("SELECT body FROM " + table, row -> row.getString(1)));
      assertThat(bodies)
          .isNotEmpty()
          .allSatisfy(
              body -> {
                var read = StoredJson.read(body, type);
                assertThat(StoredJson.read(StoredJson.write(read), type)).isEqualTo(read);
                assertThat(facts(StoredJson.write(read))).containsAll(facts(body));
              });
    }
  }

  /// The fields and values that are not empty.
  private static Set<String> facts(String json) throws IOException {
    var facts = new HashSet<String>();
    collect("", new JsonMapper().readTree(json), facts);
    return facts;
  }

  private static void collect(String path, JsonNode node, Set<String> facts) {
    if (node.isObject()) {
      node.properties().forEach(it -> collect(path + "/" + it.getKey(), it.getValue(), facts));
    } else if (node.isArray()) {
      node.forEach(each -> collect(path + "/*", each, facts));
    } else if (!node.isNull()) {
      facts.add(path + "=" + node.asText());
    }
  }

  private static final class ModelType implements ArgumentConverter {
    @Override
    public Object convert(Object name, ParameterContext context) {
      try {
        return Class.forName("dev.runnel.core.model." + name);
      } catch (ClassNotFoundException e) {
        throw new ArgumentConversionException("No type of the model: " + name, e);
      }
    }
  }
}
