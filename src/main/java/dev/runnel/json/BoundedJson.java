package dev.runnel.json;

import com.fasterxml.jackson.core.Base64Variant;
import com.fasterxml.jackson.core.Base64Variants;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.runnel.memory.Lease;
import dev.runnel.memory.Price;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongPredicate;

/// Parses JSON that others wrote. Small values take up to thirty times their bytes as objects, so
/// the bytes of the objects are counted while they are made, and a document is refused whose
/// objects take more than the [price][Price#parsed] of its size. What nobody reads is skipped.
public final class BoundedJson {
  private static final int MAX_DEPTH = 100;

  /// Characters. Some agents send whole questions as names.
  private static final int MAX_NAME = 10_000;

  /// Characters.
  private static final int MAX_TEXT = 5 * 1024 * 1024;

  /// Digits: converting more takes a time that grows faster than their number.
  private static final int MAX_NUMBER = 100;

  /// Names, values, and the beginnings and ends of objects and arrays, read or skipped.
  private static final long MAX_TOKENS = 500_000;

  /// Bytes that every document may take as objects, however small it is. Usual documents of a few
  /// kilobytes take up to ten times their size.
  private static final long ALWAYS = 512 * 1024;

  // Bytes on a 64-bit machine with compressed pointers, with the place in the parent.
  private static final int OBJECT = 88;
  private static final int ARRAY = 56;
  private static final int TEXT = 64;
  private static final int NUMBER = 32;
  private static final int CONSTANT = 8;
  private static final int MEMBER = 48;

  /// While a text is parsed, it is in the parser's buffer, too.
  private static final int COPIES_OF_TEXT = 3;

  /// What is asked for at once.
  private static final long STEP = 64 * 1024;

  private static final Base64Variant BASE64 = Base64Variants.MIME_NO_LINEFEEDS.withPaddingAllowed();

  private static final StreamReadConstraints CONSTRAINTS =
      StreamReadConstraints.builder()
          .maxNestingDepth(MAX_DEPTH)
          .maxNameLength(MAX_NAME)
          .maxNumberLength(MAX_NUMBER)
          .maxStringLength(MAX_TEXT)
          .maxTokenCount(MAX_TOKENS)
          .build();

  private static final JsonFactory FACTORY = factory();

  private final JsonParser parser;
  private final JsonNodeFactory nodes;
  private final long most;
  private final LongPredicate more;
  private long texts;
  private long spent;
  private long allowed;

  /// @param size of the document in bytes
  /// @param allowed how many bytes it may take as objects before it asks for more
  /// @param more whether it may take so many bytes more
  private BoundedJson(
      JsonParser parser, JsonNodeFactory nodes, long size, long allowed, LongPredicate more) {
    this.parser = parser;
    this.nodes = nodes;
    this.most = ALWAYS + Price.parsed(size);
    this.allowed = allowed;
    this.more = more;
  }

  /// A mapper that refuses documents which nest too deeply, or have too many values, or too long
  /// names or numbers. The size of a document is limited by who receives it.
  public static JsonMapper.Builder mapper() {
    return JsonMapper.builder(factory());
  }

  /// Not shared, because a mapper sets itself as its factory's codec.
  private static JsonFactory factory() {
    return JsonFactory.builder()
        .streamReadConstraints(CONSTRAINTS)
        // Nothing is kept of the names that strangers invent.
        .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
        .build();
  }

  /// @throws RefusedJsonException if it is not exactly one JSON object, or too large as objects
  public static ObjectNode object(byte[] document, Projection projection)
      throws RefusedJsonException {
    return object(document, projection, JsonNodeFactory.instance);
  }

  static ObjectNode object(byte[] document, Projection projection, JsonNodeFactory nodes)
      throws RefusedJsonException {
    try (var parser = FACTORY.createParser(document)) {
      return unleased(parser, nodes, document.length).checked(projection);
    } catch (RefusedJsonException refused) {
      throw refused;
    } catch (IOException impossible) {
      throw new IllegalStateException("The bytes are in memory", impossible);
    }
  }

  /// @throws RefusedJsonException if it is not exactly one JSON object, or too large as objects
  public static ObjectNode object(String document, Projection projection)
      throws RefusedJsonException {
    try (var parser = FACTORY.createParser(document)) {
      return unleased(parser, JsonNodeFactory.instance, document.length()).checked(projection);
    } catch (RefusedJsonException refused) {
      throw refused;
    } catch (IOException impossible) {
      throw new IllegalStateException("The text is in memory", impossible);
    }
  }

  private static BoundedJson unleased(JsonParser parser, JsonNodeFactory nodes, long size) {
    return new BoundedJson(parser, nodes, size, Long.MAX_VALUE, _ -> true);
  }

  /// Reads a document while it arrives, so that its bytes are never in memory together.
  ///
  /// @param maxBytes of the document without what [Projection#BASE64] reads
  /// @param lease of memory for the document as objects; it grows if its bytes are too few. What is
  ///   read as Base64 is not counted, because it is less than the bytes that arrive
  /// @throws RefusedJsonException if it is not exactly one JSON object, or too large as objects, or
  ///   if the share of the lease is spent
  /// @throws IOException if it does not arrive
  public static ObjectNode object(
      InputStream document, long maxBytes, Projection projection, Lease lease) throws IOException {
    try (var parser = FACTORY.createParser(document)) {
      return new BoundedJson(parser, JsonNodeFactory.instance, maxBytes, lease.bytes(), lease::grow)
          .checked(projection);
    }
  }

  private ObjectNode checked(Projection projection) throws IOException {
    try {
      return document(projection);
    } catch (StreamConstraintsException tooMuch) {
      throw RefusedJsonException.because(limit(tooMuch));
    } catch (JsonProcessingException malformed) {
      throw RefusedJsonException.because("It is not valid JSON" + place(malformed));
    }
  }

  private static String place(JsonProcessingException malformed) {
    var at = malformed.getLocation();
    return at == null ? "" : " (line %d, column %d)".formatted(at.getLineNr(), at.getColumnNr());
  }

  /// The parser's own message names its methods.
  private static String limit(StreamConstraintsException tooMuch) {
    var message = String.valueOf(tooMuch.getOriginalMessage());
    if (message.startsWith("Token count")) {
      return "It has too many values: at most %,d names and values are read".formatted(MAX_TOKENS);
    }
    if (message.startsWith("Document nesting depth")) {
      return "It nests too deeply: at most %d objects and arrays in each other"
          .formatted(MAX_DEPTH);
    }
    if (message.startsWith("Name")) {
      return "A name in it is too long: at most %,d characters".formatted(MAX_NAME);
    }
    return message.startsWith("Number")
        ? "A number in it is too long: at most %d digits".formatted(MAX_NUMBER)
        : "A text in it is too long: at most %,d characters".formatted(MAX_TEXT);
  }

  private ObjectNode document(Projection projection) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      throw RefusedJsonException.because("It is not a JSON object");
    }
    var object = object(projection);
    if (parser.nextToken() != null) {
      throw RefusedJsonException.because("It has something behind its end");
    }
    return object;
  }

  private ObjectNode object(Projection projection) throws IOException {
    take(OBJECT);
    var object = nodes.objectNode();
    for (var name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      var part = projection.member(name);
      parser.nextToken();
      if (part == null) {
        parser.skipChildren();
        continue;
      }
      take(MEMBER + name.length());
      if (object.replace(name, value(part)) != null) {
        throw RefusedJsonException.because("A name occurs twice in an object");
      }
    }
    return object;
  }

  private ArrayNode array(Projection projection) throws IOException {
    take(ARRAY);
    var array = nodes.arrayNode();
    var index = 0;
    for (var token = parser.nextToken();
        token != JsonToken.END_ARRAY;
        token = parser.nextToken(), index++) {
      var part = projection.element(index);
      if (part == null) {
        parser.skipChildren();
        continue;
      }
      while (array.size() < index) {
        take(CONSTANT);
        array.addNull();
      }
      array.add(value(part));
    }
    return array;
  }

  private JsonNode value(Projection projection) throws IOException {
    return switch (parser.currentToken()) {
      case START_OBJECT -> object(projection);
      case START_ARRAY -> array(projection);
      case VALUE_STRING -> {
        if (projection.isBase64()) {
          take(TEXT);
          yield nodes.binaryNode(decoded());
        }
        var text = parser.getText();
        take(TEXT);
        texts += text.length();
        take((long) COPIES_OF_TEXT * text.length());
        yield nodes.textNode(text);
      }
      case VALUE_NUMBER_INT -> {
        take(NUMBER);
        yield switch (parser.getNumberType()) {
          case INT -> nodes.numberNode(parser.getIntValue());
          case LONG -> nodes.numberNode(parser.getLongValue());
          default -> nodes.numberNode(parser.getBigIntegerValue());
        };
      }
      case VALUE_NUMBER_FLOAT -> {
        take(NUMBER);
        yield nodes.numberNode(parser.getDoubleValue());
      }
      case VALUE_TRUE, VALUE_FALSE -> {
        take(CONSTANT);
        yield nodes.booleanNode(parser.getBooleanValue());
      }
      default -> {
        take(CONSTANT);
        yield nodes.nullNode();
      }
    };
  }

  private byte[] decoded() throws IOException {
    var bytes = new ByteArrayOutputStream();
    try {
      parser.readBinaryValue(BASE64, bytes);
    } catch (JsonProcessingException | IllegalArgumentException malformed) {
      throw RefusedJsonException.because("A text in it must be Base64");
    }
    return bytes.toByteArray();
  }

  private void take(long bytes) throws RefusedJsonException {
    spent += bytes;
    if (spent > most) {
      throw RefusedJsonException.because(
          COPIES_OF_TEXT * texts > spent / 2
              ? "It has too much text"
              : "It has too many values for its size");
    }
    if (spent > allowed) {
      var next = Math.max(STEP, spent - allowed);
      if (!more.test(next)) {
        throw RefusedJsonException.forNow();
      }
      allowed += next;
    }
  }
}
