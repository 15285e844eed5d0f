package dev.runnel.core.model.conversation;

import java.util.UUID;

/// The id of a notice. Posts carry it invisibly, so that a post made just before a crash can be
/// found.
public record NoticeId(String value) {
  public NoticeId {
    NameCheck.require("notice id", value);
  }

  public static NoticeId random() {
    return new NoticeId(UUID.randomUUID().toString());
  }

  @Override
  public String toString() {
    return value;
  }
}
