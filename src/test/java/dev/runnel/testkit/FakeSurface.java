package dev.runnel.testkit;

import dev.runnel.core.model.Delivery;
import dev.runnel.core.model.Intent;
import dev.runnel.core.model.MissedDeliveries;
import dev.runnel.core.model.Notice;
import dev.runnel.core.model.Update;
import dev.runnel.core.model.WebhookResult;
import dev.runnel.core.model.conversation.Admission;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.ConversationPolicy;
import dev.runnel.core.model.conversation.GroupLookup;
import dev.runnel.core.model.conversation.LinkTarget;
import dev.runnel.core.model.conversation.NoticeId;
import dev.runnel.core.model.conversation.PostRef;
import dev.runnel.core.model.conversation.Posting;
import dev.runnel.core.model.conversation.RawRequest;
import dev.runnel.core.model.conversation.Reply;
import dev.runnel.core.model.conversation.SurfaceId;
import dev.runnel.core.model.run.Background;
import dev.runnel.core.model.run.LinkedConversation;
import dev.runnel.core.model.run.MessageStatus;
import dev.runnel.core.port.BackgroundReader;
import dev.runnel.core.port.BackgroundUnavailable;
import dev.runnel.core.port.CredentialRefused;
import dev.runnel.core.port.FileUploader;
import dev.runnel.core.port.LinkParser;
import dev.runnel.core.port.MissedDeliverySource;
import dev.runnel.core.port.PostingLimits;
import dev.runnel.core.port.SenderLookup;
import dev.runnel.core.port.Surface;
import dev.runnel.core.port.ThreadOpener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A platform in memory: it keeps posts, finds a post by its notice, edits the status post, and can
/// be down, lose an answer, or refuse.
public final class FakeSurface
    implements Surface, SenderLookup, ThreadOpener, FileUploader, LinkParser, PostingLimits {
  /// What stands in a thread.
  public record Post(Conversation conversation, NoticeId notice, Update update, int edits) {}

  private final Map<PostRef, Post> posts = new LinkedHashMap<>();
  private Optional<ZoneId> zone = Optional.empty();
  private final Map<NoticeId, String> uploads = new LinkedHashMap<>();
  private boolean takesFiles = true;
  private final Map<String, Conversation> opened = new HashMap<>();
  private final Map<Conversation, Background> backgrounds = new HashMap<>();
  private final List<PostRef> receipts = new ArrayList<>();
  private Optional<Posting> refusal = Optional.empty();
  private final Map<PostRef, TreeSet<MessageStatus>> signs = new HashMap<>();
  private Optional<Posting> signsRefused = Optional.empty();
  private ConversationPolicy conversationPolicy = ConversationPolicy.PLAIN;
  private boolean hasIssues;
  private boolean losesNextAnswer;

  /// In the text of a message that has files.
  public static final String FILE = "[file]";

  private BackgroundReader.ReplyFiles files = BackgroundReader.ReplyFiles.NONE;
  private boolean backgroundIsDown;
  private Optional<Duration> pause = Optional.empty();
  private boolean isBroken;
  private Predicate<Update> unrendered = _ -> false;
  private boolean linksAreDown;
  private final Map<URI, Optional<Background>> linked = new LinkedHashMap<>();
  private final List<String> linksRead = new ArrayList<>();
  private volatile boolean isPrivate;
  private Admission admission = Admission.ADMITTED;
  private Set<String> groups = Set.of();
  private boolean areGroupsKnown = true;
  private final Map<String, Set<String>> names = new HashMap<>();
  private final Set<Conversation> turnedAway = new HashSet<>();
  private MissedDeliveries missedDeliveries = MissedDeliveries.Listed.NOTHING;
  private Instant missedSince = Instant.EPOCH;
  private Instant missedFrom = Instant.EPOCH;
  private List<Conversation> missedIn = List.of();
  private Optional<String> refused = Optional.empty();
  private int asked;
  private int refusals;
  private Optional<Duration> fading = Optional.empty();
  private Optional<EditBudget> editBudget = Optional.empty();
  private String editLimit;
  private Optional<Posting> editRefusal = Optional.empty();
  private final List<Update.Status> repeats = new ArrayList<>();
  private int opens;
  private int calls;
  private final SurfaceId id;

  public FakeSurface() {
    this(Samples.SURFACE);
  }

  public FakeSurface(SurfaceId id) {
    this.id = id;
    this.editLimit = id.value();
  }

  @Override
  public SurfaceId id() {
    return id;
  }

  @Override
  public SenderLookup senders() {
    return this;
  }

  @Override
  public ThreadOpener threads() {
    return this;
  }

  @Override
  public FileUploader files() {
    return this;
  }

  @Override
  public LinkParser links() {
    return this;
  }

  @Override
  public PostingLimits limits() {
    return this;
  }

  @Override
  public WebhookResult receive(RawRequest request) {
    return new WebhookResult.Answered(Reply.empty(200));
  }

  /// From now on the platform does not accept our credential, and says why; empty makes it well
  /// again.
  public synchronized void refusesCredential(Optional<String> why) {
    refused = why;
  }

  private void checkCredential() {
    refused.ifPresent(
        why -> {
          refusals++;
          throw new CredentialRefused(why);
        });
  }

  /// How often our credential was not accepted.
  public synchronized int refusals() {
    return refusals;
  }

  /// How often somebody asked whether it is there.
  public synchronized int asked() {
    return asked;
  }

  @Override
  public synchronized boolean isAvailable() {
    asked++;
    checkCredential();
    return refusal.isEmpty();
  }

  @Override
  public BackgroundReader background() {
    return new BackgroundReader() {
      @Override
      public Background read(Delivery delivery) {
        return background(delivery);
      }

      @Override
      public boolean isPrivate(Delivery delivery) {
        checkCredential();
        checkReadable();
        return isPrivate;
      }

      @Override
      public boolean hasFiles(Delivery delivery) {
        return delivery.intent().agentRequest().filter(it -> it.text().contains(FILE)).isPresent();
      }

      @Override
      public ReplyFiles files(Delivery delivery) {
        checkReadable();
        return hasFiles(delivery) ? replyFiles() : ReplyFiles.NONE;
      }

      @Override
      public List<URI> links(Delivery delivery, String text) {
        return linksIn(text);
      }

      @Override
      public LinkedConversation linked(
          Delivery delivery, Conversation audience, boolean isPublic, URI link) {
        return behind(audience, isPublic, link);
      }
    };
  }

  private synchronized List<URI> linksIn(String text) {
    return linked.keySet().stream().filter(link -> text.contains(link.toString())).toList();
  }

  private synchronized LinkedConversation behind(
      Conversation audience, boolean isPublic, URI link) {
    checkCredential();
    linksRead.add(audience + (isPublic ? " in public" : ""));
    return linksAreDown
        ? new LinkedConversation.Unavailable(link, pause, "Links cannot be read")
        : linked
            .getOrDefault(link, Optional.empty())
            .<LinkedConversation>map(it -> new LinkedConversation.Shown(link, it, Optional.empty()))
            .orElseGet(() -> new LinkedConversation.Withheld(link));
  }

  /// @param background empty if nobody may read it
  public synchronized void hasLinked(URI link, Optional<Background> background) {
    linked.put(link, background);
  }

  public synchronized void linksAreDown(boolean down) {
    linksAreDown = down;
  }

  /// For whom links were read, in order: the conversation, and ` in public` for work that everybody
  /// can read.
  public synchronized List<String> linksRead() {
    return List.copyOf(linksRead);
  }

  private synchronized void checkReadable() {
    if (backgroundIsDown) {
      throw new BackgroundUnavailable(
          "The thread cannot be read", pause, new RuntimeException("503"));
    }
  }

  private synchronized Background background(Delivery delivery) {
    checkCredential();
    if (isBroken) {
      throw new IllegalStateException("A bug");
    }
    checkReadable();
    return backgrounds.getOrDefault(delivery.conversation(), Background.NONE);
  }

  @Override
  public synchronized Posting open(Delivery delivery, boolean again) {
    calls++;
    checkCredential();
    if (refusal.isPresent()) {
      return refusal.get();
    }
    var known = opened.get(delivery.id().value());
    if (delivery.intent() instanceof Intent.Say) {
      // Said from elsewhere: its thread is there, and is shown the words.
      known = delivery.conversation();
      opened.put(delivery.id().value(), known);
    } else if (!again || known == null) {
      opens++;
      known = new Conversation(id(), delivery.conversation().place() + "opened-" + opens);
      opened.put(delivery.id().value(), known);
    }
    return answer(new Posting.Posted(new PostRef("root-" + opens), known));
  }

  @Override
  public synchronized Posting post(Notice notice, @Nullable PostRef status) {
    calls++;
    checkCredential();
    if (refusal.isPresent()) {
      return refusal.get();
    }
    if (unrendered.test(notice.update())) {
      throw new StackOverflowError("a bug");
    }
    if (notice.update() instanceof Update.Received(var message, var messageStatus, var before)) {
      if (signsRefused.isPresent()) {
        return signsRefused.get();
      }
      receipts.add(message);
      var there = signs.computeIfAbsent(message, _ -> new TreeSet<>());
      there.add(messageStatus);
      there.removeAll(before);
      return new Posting.Posted(message, notice.conversation());
    }
    if (notice.update() instanceof Update.Still(var again)) {
      repeats.add(again);
      return new Posting.Posted(
          status == null ? new PostRef("nowhere") : status, notice.conversation());
    }
    var edits =
        notice.update() instanceof Update.Status
            || notice.update() instanceof Update.QuestionClosed;
    if (edits && status != null && posts.containsKey(status)) {
      if (editRefusal.isPresent()) {
        return editRefusal.get();
      }
      var count = posts.get(status).edits() + 1;
      posts.put(status, new Post(notice.conversation(), notice.id(), notice.update(), count));
      return answer(new Posting.Posted(status, notice.conversation()));
    }
    var ref = notice.tries() > 0 ? find(notice.id()) : null;
    if (ref == null) {
      ref = new PostRef("post-" + (posts.size() + 1));
      posts.put(ref, new Post(notice.conversation(), notice.id(), notice.update(), 0));
    }
    return answer(new Posting.Posted(ref, notice.conversation()));
  }

  @Override
  public boolean accepts(Conversation conversation) {
    return takesFiles;
  }

  @Override
  public synchronized Posting upload(Notice notice, Path content) {
    calls++;
    checkCredential();
    if (refusal.isPresent()) {
      return refusal.get();
    }
    if (notice.tries() == 0 || !uploads.containsKey(notice.id())) {
      var file = ((Update.FileMade) notice.update()).file().name();
      uploads.put(notice.id(), file + ": " + text(content));
    }
    return answer(new Posting.Posted(new PostRef(notice.id().value()), notice.conversation()));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// From now on no files can be uploaded.
  public synchronized void takesNoFiles() {
    takesFiles = false;
  }

  /// What was uploaded, oldest first: `report.md: It works`.
  public synchronized List<String> uploads() {
    return List.copyOf(uploads.values());
  }

  private @Nullable PostRef find(NoticeId notice) {
    return posts.entrySet().stream()
        .filter(each -> each.getValue().notice().equals(notice))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(null);
  }

  private Posting answer(Posting posting) {
    if (losesNextAnswer) {
      losesNextAnswer = false;
      return new Posting.Later(Optional.empty(), "The answer was lost");
    }
    return posting;
  }

  /// `https://fake.example/team/channel/1?said=7`, on a surface with the id `fake`.
  @Override
  public Optional<LinkTarget> target(URI link, Conversation from) {
    return (id + ".example").equals(link.getHost())
        ? Optional.of(
            new LinkTarget(
                new Conversation(id(), link.getPath().substring(1)),
                Optional.ofNullable(link.getQuery()).map(query -> query.replace("=", ":"))))
        : Optional.empty();
  }

  @Override
  public synchronized Optional<Conversation> issue(URI link) {
    return hasIssues
        ? target(link, Samples.THREAD).map(LinkTarget::conversation)
        : Optional.empty();
  }

  /// From now on everybody lives there.
  public synchronized void hasTimeZone(ZoneId there) {
    zone = Optional.of(there);
  }

  @Override
  public synchronized Optional<ZoneId> timeZone(Delivery delivery) {
    return zone;
  }

  /// From now on its conversations are issues.
  public synchronized void hasIssues() {
    hasIssues = true;
  }

  @Override
  public MissedDeliverySource missed() {
    return this::missed;
  }

  private synchronized MissedDeliveries missed(
      Instant since, Instant from, List<Conversation> conversations) {
    missedSince = since;
    missedFrom = from;
    missedIn = conversations;
    checkCredential();
    return missedDeliveries;
  }

  @Override
  public synchronized Admission admit(Delivery delivery) {
    checkCredential();
    return turnedAway.contains(delivery.conversation())
        ? new Admission.TurnedAway("nobody may say anything here")
        : admission;
  }

  @Override
  public synchronized GroupLookup groups(Delivery delivery, Set<String> names) {
    return areGroupsKnown
        ? new GroupLookup.Known(groups.stream().filter(names::contains).collect(Collectors.toSet()))
        : new GroupLookup.Unknown(Optional.of(Duration.ofSeconds(30)), "The platform is down");
  }

  @Override
  public synchronized Optional<Set<String>> names(Delivery delivery) {
    return Optional.ofNullable(names.get(delivery.actor().id()));
  }

  /// From now on the person with this id signs in by the account of another platform:
  /// `slack:U012345`.
  public synchronized void knowsAs(String person, String account) {
    names.put(person, Set.of(account));
  }

  /// From now on nobody's groups can be looked up.
  public synchronized void knowsNoGroups() {
    areGroupsKnown = false;
  }

  /// From now on everybody is in these groups.
  public synchronized void hasInGroups(String... names) {
    groups = Set.of(names);
    areGroupsKnown = true;
  }

  /// From now on nobody may say anything there.
  public synchronized void turnsAway(Conversation conversation) {
    turnedAway.add(conversation);
  }

  /// From now on this is answered to who asks whether something counts.
  public synchronized void admits(Admission answer) {
    admission = answer;
  }

  /// From now on this is answered to who asks what was missed.
  public synchronized void lists(MissedDeliveries answer) {
    missedDeliveries = answer;
  }

  /// Since when somebody asked what was missed; the epoch when nobody did.
  public synchronized Instant missedSince() {
    return missedSince;
  }

  /// Where the list of what was missed was to be continued.
  public synchronized Instant missedFrom() {
    return missedFrom;
  }

  /// Where somebody asked what was missed.
  public synchronized List<Conversation> missedIn() {
    return missedIn;
  }

  /// The posts in the conversation, oldest first.
  public synchronized List<Post> posts(Conversation conversation) {
    return posts.values().stream()
        .filter(each -> each.conversation().equals(conversation))
        .toList();
  }

  /// The posts' updates by their simple names, oldest first.
  public List<String> kinds(Conversation conversation) {
    return posts(conversation).stream()
        .map(each -> each.update().getClass().getSimpleName())
        .toList();
  }

  /// What was told, oldest first.
  public List<String> told(Conversation conversation) {
    return posts(conversation).stream()
        .map(Post::update)
        .filter(Update.Message.class::isInstance)
        .map(update -> ((Update.Message) update).text())
        .toList();
  }

  /// All there is, in words that are the same for the same posts.
  @Override
  public synchronized String toString() {
    return posts + "\n" + opened;
  }

  /// The signs that a message carries.
  public synchronized Set<MessageStatus> signs(PostRef message) {
    return Set.copyOf(signs.getOrDefault(message, new TreeSet<>()));
  }

  /// From now on every sign is answered so, and none appears; empty makes it well again.
  public synchronized void answersSigns(Optional<Posting> answer) {
    signsRefused = answer;
  }

  @Override
  public String rateLimit(Conversation conversation) {
    return id.value();
  }

  @Override
  public synchronized Optional<Duration> statusLifetime(Conversation conversation) {
    return fading;
  }

  /// From now on what is shown of a run fades after this time.
  public synchronized void fadesAfter(Duration time) {
    fading = Optional.of(time);
  }

  /// The statuses that were told once more, oldest first.
  public synchronized List<Update.Status> repeats() {
    return List.copyOf(repeats);
  }

  /// From now on edits count, all together.
  public synchronized void countsEdits() {
    editBudget = Optional.of(new EditBudget("edits", 25));
  }

  @Override
  public synchronized String editLimit(Conversation conversation) {
    return editLimit;
  }

  /// From now on edits have a rate limit of their own, and are answered so; empty lets them
  /// through.
  public synchronized void answersEdits(Optional<Posting> answer) {
    editLimit = id.value() + ":edits";
    editRefusal = answer;
  }

  @Override
  public synchronized Optional<EditBudget> editBudget(Conversation conversation) {
    return editBudget;
  }

  /// From now on people talk so here.
  public synchronized void hasManners(ConversationPolicy now) {
    conversationPolicy = now;
  }

  @Override
  public synchronized ConversationPolicy conversationPolicy(Conversation conversation) {
    return conversationPolicy;
  }

  public synchronized List<PostRef> receipts() {
    return List.copyOf(receipts);
  }

  public synchronized int opens() {
    return opens;
  }

  /// Whether the words of the delivery stand where it was said to.
  public synchronized boolean shows(Delivery delivery) {
    return opened.containsKey(delivery.id().value());
  }

  /// How often something was to be posted, edited or opened.
  public synchronized int calls() {
    return calls;
  }

  /// All posts, oldest first.
  public synchronized List<Post> posts() {
    return List.copyOf(posts.values());
  }

  public synchronized void hasBackground(Conversation conversation, Background background) {
    backgrounds.put(conversation, background);
  }

  private synchronized BackgroundReader.ReplyFiles replyFiles() {
    return files;
  }

  /// The files of each message whose text contains [#FILE].
  public synchronized void hasFiles(BackgroundReader.ReplyFiles ofReplies) {
    files = ofReplies;
  }

  /// Only members can read its conversations.
  public void isPrivate() {
    isPrivate = true;
  }

  /// From now on rendering these updates fails as nobody expects.
  public synchronized void cannotRender(Predicate<Update> updates) {
    unrendered = updates;
  }

  /// From now on reading a conversation fails as nobody expects.
  public synchronized void isBroken() {
    isBroken = true;
  }

  /// While it cannot be read, it asks for this pause.
  public synchronized void asksReadersToWait(Duration time) {
    pause = Optional.of(time);
  }

  public synchronized void backgroundIsDown(boolean down) {
    backgroundIsDown = down;
  }

  /// From now on every post is answered so, and none appears; empty makes it well again.
  public synchronized void answersPosts(Optional<Posting> answer) {
    refusal = answer;
  }

  /// The next post appears, but its answer is lost.
  public synchronized void losesNextAnswer() {
    losesNextAnswer = true;
  }
}
