package dev.runnel.surface.slack.read;

import com.slack.api.model.Message;
import dev.runnel.core.model.conversation.Attachment;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.surface.slack.api.FileTransfer;
import dev.runnel.surface.slack.api.SlackApi;
import dev.runnel.surface.slack.api.SlackNames;
import dev.runnel.surface.slack.api.SlackResponse;
import dev.runnel.surface.slack.model.AnswerFile;
import dev.runnel.surface.slack.model.SharedFile;
import dev.runnel.surface.slack.model.SharedMessage;
import dev.runnel.surface.slack.model.SlackPlace;
import dev.runnel.surface.slack.model.SlackPost;
import dev.runnel.surface.slack.model.SlackQuote;
import dev.runnel.surface.slack.model.SlackText;
import dev.runnel.text.Truncation;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Reads the earlier messages of a thread: its first message and the newest ones, as far as they
/// fit, and the images and text files shared there. Other files are named in the text.
public record SlackBackground(SlackApi api, FileTransfer transfer, SlackNames names) {
  /// The limits for the part of a thread that the agent gets.
  ///
  /// @param characters of all messages together, the first one not counted
  /// @param message characters of one message
  /// @param pages how many are read
  private record Bounds(int characters, int message, int messages, int pages) {}

  private static final Bounds THREAD = new Bounds(30_000, 6_000, Integer.MAX_VALUE, 100);

  /// For each thread that a request links to.
  private static final Bounds LINKED = new Bounds(8_000, 3_000, 50, 10);

  /// The run service's limits.
  private static final int MAX_ATTACHMENTS_COUNT = 5;

  private static final long MAX_ATTACHMENT = 5L * 1024 * 1024;
  private static final long MAX_ATTACHMENTS = 15L * 1024 * 1024;

  /// The kind of a request's own files without a thread around them.
  private static final String ALONE = "Slack message";

  private static final BigDecimal A_DAY = BigDecimal.valueOf(24 * 60 * 60);

  private static final int MAX_TEXTS_COUNT = 5;

  /// In bytes; a larger file is only named.
  private static final long MAX_TEXT = 1024L * 1024;

  // In characters.
  private static final int TEXT_BEGIN = 5_000;
  private static final int TEXT_END = 10_000;

  /// The images of a request that has no earlier messages.
  ///
  /// @param request the timestamp of its message
  /// @throws BackgroundUnavailable if Slack cannot be read now
  public Background ofRequest(SlackPlace place, String request) {
    var files = files(place, request);
    return alone(texts(files), attachments(files));
  }

  private static Background alone(List<Background.TextFile> texts, List<Attachment> attachments) {
    return new Background(
            texts.isEmpty() ? "" : ALONE,
            Optional.empty(),
            "",
            List.of(),
            Optional.empty(),
            List.of(),
            0,
            attachments)
        .withFiles(texts);
  }

  /// @param reply the timestamp of a message to a run
  /// @throws BackgroundUnavailable if Slack cannot be read now
  BackgroundReader.ReplyFiles ofReply(SlackPlace place, String reply) {
    var files = files(place, reply);
    var texts = texts(files);
    var read = texts.stream().map(Background.TextFile::name).collect(Collectors.toSet());
    var others = files.stream().filter(it -> !read.contains(it.name())).toList();
    return new BackgroundReader.ReplyFiles(
        alone(texts, List.of()),
        others.stream().map(SharedFile::name).toList(),
        others.stream().anyMatch(SharedFile::isImage));
  }

  /// The last messages of the channel, outside threads and of the last day, before a request that
  /// began a thread.
  ///
  /// @param most how many
  /// @param request the timestamp of its message, if that has files of its own
  /// @throws BackgroundUnavailable if Slack cannot be read now
  public Background ofChannel(SlackPlace place, int most, Optional<String> request) {
    var before = place.thread();
    var since = new BigDecimal(before).subtract(A_DAY).max(BigDecimal.ZERO).toPlainString();
    Deque<Message> newest = new ArrayDeque<>();
    required(api.channel(place.channel(), since).read(null)).messages().stream()
        .filter(it -> counts(it, place, before) && SlackPost.Mark.on(it).isEmpty())
        .limit(most)
        .forEach(newest::addFirst);
    var files = request.map(it -> files(place, it)).orElse(List.of());
    return newest.isEmpty()
        ? request.map(it -> ofRequest(place, it)).orElse(Background.NONE)
        : new Background(
                names
                    .ofChannel(place.channel())
                    .filter(it -> !it.equals(place.channel()))
                    .map(it -> "Slack channel #" + it)
                    .orElse("Slack channel"),
                Optional.empty(),
                "The last messages of the channel before the request. They may be about other"
                    + " topics.",
                List.of(),
                Optional.empty(),
                newest.stream().map(it -> message(it, THREAD)).toList(),
                0,
                attachments(files))
            .withFiles(texts(files));
  }

  /// @param before a message's timestamp: that message and later ones are omitted
  /// @param hasFiles whether that message has files of its own, which come first
  /// @throws BackgroundUnavailable if Slack cannot be read now
  public Background of(SlackPlace place, String before, boolean hasFiles, Optional<URI> link) {
    var thread = fitting(place, required(messages(place, before, THREAD)), THREAD);
    var messages = messages(thread, THREAD);
    var files =
        Stream.of(
                (hasFiles ? files(place, before) : List.<SharedFile>of()).stream(),
                thread.newest().reversed().stream().flatMap(it -> SharedFile.in(it).stream()),
                thread.root().stream().flatMap(it -> SharedFile.in(it).stream()))
            .flatMap(it -> it)
            .toList();
    return new Background(
            kind(place),
            Optional.empty(),
            "",
            List.of(),
            link,
            messages,
            thread.omitted(),
            attachments(files))
        .withFiles(texts(files));
  }

  /// The text of a thread that a request links to.
  ///
  /// @param ts of the message that the link shows
  /// @param isAlone whether that message is enough
  /// @return empty if the message is not there
  SlackResponse<Optional<LinkedConversation>> linked(
      SlackPlace place, String ts, String before, URI link, boolean isAlone) {
    return messages(place, before, LINKED)
        .map(
            messages ->
                messages.stream()
                    .filter(it -> ts.equals(it.getTs()))
                    .findFirst()
                    .<LinkedConversation>map(
                        shown -> {
                          var thread = fitting(place, isAlone ? List.of() : messages, LINKED);
                          return new LinkedConversation.Shown(
                              link,
                              new Background(
                                  kind(place),
                                  Optional.empty(),
                                  "",
                                  List.of(),
                                  Optional.of(link),
                                  messages(thread, LINKED),
                                  thread.omitted()),
                              Optional.of(shown)
                                  .filter(_ -> isAlone || !ts.equals(place.thread()))
                                  .map(it -> message(it, LINKED)));
                        }));
  }

  /// The first message of a thread and the newest ones.
  private record Fitting(Optional<Message> root, Deque<Message> newest, int omitted) {}

  private static Fitting fitting(SlackPlace place, List<Message> messages, Bounds bounds) {
    Optional<Message> root = Optional.empty();
    Deque<Message> newest = new ArrayDeque<>();
    var size = 0;
    var omitted = 0;
    for (var message : messages) {
      if (place.thread().equals(message.getTs())) {
        root = Optional.of(message);
        continue;
      }
      newest.add(message);
      size += length(message, bounds);
      while ((size > bounds.characters() && newest.size() > 1)
          || newest.size() > bounds.messages()) {
        size -= length(newest.remove(), bounds);
        omitted++;
      }
    }
    return new Fitting(root, newest, omitted);
  }

  private List<Background.Message> messages(Fitting thread, Bounds bounds) {
    return Stream.concat(thread.root().stream(), thread.newest().stream())
        .map(it -> message(it, bounds))
        .toList();
  }

  /// Adds the channel that the user has open beside the thread.
  public Background beside(Background background, String channel) {
    var name = names.ofChannel(channel).filter(it -> !it.equals(channel));
    if (name.isEmpty()) {
      return background;
    }
    var isAlone = background.kind().isEmpty() || background.kind().equals(ALONE);
    return new Background(
            isAlone
                ? "Slack direct message"
                : "%s, with the channel #%s open beside it"
                    .formatted(background.kind(), name.get()),
            background.title(),
            isAlone ? "They had the channel #%s open.".formatted(name.get()) : background.body(),
            background.labels(),
            background.link(),
            background.messages(),
            background.omitted(),
            background.attachments())
        .withFiles(background.files());
  }

  private String kind(SlackPlace place) {
    return place.isDirect()
        ? "Slack thread"
        : names
            .ofChannel(place.channel())
            .filter(it -> !it.equals(place.channel()))
            .map(it -> "Slack thread in #" + it)
            .orElse("Slack thread");
  }

  private List<SharedFile> files(SlackPlace place, String ts) {
    // Slack lists messages after this timestamp, excluding it.
    var justBefore = new BigDecimal(ts).subtract(new BigDecimal("0.000001")).toPlainString();
    return required(api.thread(place, justBefore, null).read(null)).messages().stream()
        .filter(it -> ts.equals(it.getTs()))
        .flatMap(it -> SharedFile.in(it).stream())
        .toList();
  }

  /// The images that fit. One that cannot be fetched is skipped, because the text names it.
  private List<Attachment> attachments(List<SharedFile> files) {
    List<Attachment> attachments = new ArrayList<>();
    var seen = new HashSet<URI>();
    var left = MAX_ATTACHMENTS;
    for (var file : files) {
      if (attachments.size() == MAX_ATTACHMENTS_COUNT) {
        break;
      }
      var most = Math.min(left, MAX_ATTACHMENT);
      if (!file.isImage()
          || file.size() > most
          || file.source().isEmpty()
          || !seen.add(file.source().get())) {
        continue;
      }
      if (transfer.fetch(file.source().get(), file.type(), most)
          instanceof SlackResponse.Ok<byte[]>(byte[] bytes)) {
        left -= bytes.length;
        attachments.add(
            new Attachment(file.name(), file.type(), Base64.getEncoder().encodeToString(bytes)));
      }
    }
    return attachments;
  }

  /// The text files that fit. Of a long one, the beginning and the end are included, because a log
  /// has errors at its end. One that cannot be fetched is skipped, because the text names it.
  private List<Background.TextFile> texts(List<SharedFile> files) {
    List<Background.TextFile> texts = new ArrayList<>();
    var seen = new HashSet<URI>();
    for (var file : files) {
      if (texts.size() == MAX_TEXTS_COUNT) {
        break;
      }
      if (!file.isText()
          || file.size() > MAX_TEXT
          || file.source().isEmpty()
          || !seen.add(file.source().get())) {
        continue;
      }
      if (transfer.fetch(file.source().get(), file.type(), MAX_TEXT)
          instanceof SlackResponse.Ok<byte[]>(byte[] bytes)) {
        decoded(bytes)
            .map(text -> new Background.TextFile(file.name(), ends(text)))
            .ifPresent(texts::add);
      }
    }
    return texts;
  }

  /// @return empty for bytes that are not text in UTF-8
  private static Optional<String> decoded(byte[] bytes) {
    try {
      return Optional.of(
              StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString())
          .filter(text -> text.indexOf('\0') < 0 && !text.isBlank());
    } catch (CharacterCodingException notText) {
      return Optional.empty();
    }
  }

  private static String ends(String text) {
    if (text.length() <= TEXT_BEGIN + TEXT_END) {
      return text;
    }
    var left = text.length() - TEXT_BEGIN - TEXT_END;
    return text.substring(0, TEXT_BEGIN)
        + "\n[… %,d characters are left out here …]\n".formatted(left)
        + text.substring(text.length() - TEXT_END);
  }

  private SlackResponse<List<Message>> messages(SlackPlace place, String before, Bounds bounds) {
    List<Message> messages = new ArrayList<>();
    return api.thread(place, null, before)
        .forEach(
            bounds.pages(),
            it -> {
              if (counts(it, place, before)) {
                messages.add(it);
              }
            })
        .map(_ -> messages);
  }

  private static <T> T required(SlackResponse<T> response) {
    return switch (response) {
      case SlackResponse.Ok<T>(T value) -> value;
      case SlackResponse.Wait<T>(var after, String why) ->
          throw new BackgroundUnavailable(why, after, new IllegalStateException(why));
      case SlackResponse.No<T>(String error) ->
          throw new BackgroundUnavailable(
              "Slack refused to show the thread: " + error,
              Optional.empty(),
              new IllegalStateException(error));
    };
  }

  /// Omits the bot's own status posts, but keeps its requests and answers.
  private static boolean counts(Message message, SlackPlace place, String before) {
    var ts = message.getTs();
    return ts != null
        && ts.compareTo(before) < 0
        && !(text(message).isBlank() && SharedFile.in(message).isEmpty())
        && !"tombstone".equals(message.getSubtype())
        && !"assistant_app_thread".equals(message.getSubtype())
        && !"in_progress".equals(message.getStreamingState())
        && SharedFile.in(message).stream().noneMatch(it -> AnswerFile.isNameOfOne(it.name()))
        && (ts.equals(place.thread())
            || SlackPost.Mark.on(message).map(SlackPost.Mark::isContent).orElse(true));
  }

  private Background.Message message(Message message, Bounds bounds) {
    var text = SlackText.plain(text(message), names::of, names::ofChannel);
    var files = SharedFile.lines(SharedFile.in(message));
    return new Background.Message(
        author(message),
        SlackPlace.at(message.getTs()),
        Stream.of(Truncation.cut(text, bounds.message()), files)
            .filter(it -> !it.isEmpty())
            .collect(Collectors.joining("\n")));
  }

  private String author(Message message) {
    return Optional.ofNullable(message.getUser())
        .map(user -> names.of(user).orElse(user))
        .or(() -> Optional.ofNullable(message.getUsername()))
        .or(
            () ->
                Optional.ofNullable(message.getBotProfile())
                    .flatMap(it -> Optional.ofNullable(it.getName())))
        .filter(it -> !it.isBlank())
        .orElse("a bot");
  }

  /// Alerts of other apps often have their text in an attachment only. A forwarded message is a
  /// quote, because it has another author.
  private static String text(Message message) {
    var text = Objects.requireNonNullElse(message.getText(), "");
    var shared = SharedMessage.in(message);
    if (!shared.isEmpty()) {
      return SlackQuote.join(text, SharedMessage.lines(shared)).strip();
    }
    return text.isBlank()
        ? Optional.ofNullable(message.getAttachments()).stream()
            .flatMap(List::stream)
            .filter(Objects::nonNull)
            .flatMap(
                it ->
                    Stream.of(it.getTitle(), it.getText(), it.getFallback())
                        .filter(Objects::nonNull)
                        .distinct()
                        .limit(2))
            .collect(Collectors.joining("\n"))
        : text;
  }

  private static int length(Message message, Bounds bounds) {
    return Math.min(text(message).length(), bounds.message())
        + SharedFile.lines(SharedFile.in(message)).length();
  }
}
