package dev.runnel.core.port;

import dev.runnel.core.model.Notice;
import dev.runnel.core.model.conversation.Conversation;
import dev.runnel.core.model.conversation.Posting;
import java.nio.file.Path;

/// Uploads files to conversations.
public interface FileUploader {
  FileUploader NONE =
      new FileUploader() {
        @Override
        public boolean accepts(Conversation conversation) {
          return false;
        }

        @Override
        public Posting upload(Notice notice, Path content) {
          throw new IllegalStateException("No conversation takes files: " + notice.conversation());
        }
      };

  /// Whether files can be uploaded to the conversation.
  boolean accepts(Conversation conversation);

  /// Uploads a file, once.
  ///
  /// @param notice with an [dev.runnel.core.model.Update.FileMade]
  Posting upload(Notice notice, Path content);
}
