package dev.runnel.core.model;

/// The id of a notice; posts carry it, invisibly, so that a post made just before a crash is found.
public record NoticeId(String value) {
  public NoticeId {
    Names.require("notice id", value);
  }

  @Override
  public String toString() {
    return value;
  }
}
