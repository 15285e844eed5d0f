package dev.runnel.service.http;

import com.fasterxml.jackson.core.JsonGenerator;
import dev.runnel.service.run.ServiceJson;
import dev.runnel.wire.ConversationMessage;
import dev.runnel.wire.ConversationStep;
import java.io.IOException;
import java.io.OutputStream;

/// Writes a [dev.runnel.wire.Conversation] piece by piece. If it is not ended, its JSON is
/// incomplete, so that nobody takes a part for the whole. Not thread-safe.
final class ConversationJson implements ConversationSteps.Output {
  private final JsonGenerator json;
  private boolean isInStep;

  ConversationJson(OutputStream out, String conversationId) throws IOException {
    json = ServiceJson.writer(out);
    json.writeStartObject();
    json.writeStringField("conversation_id", conversationId);
    json.writeArrayFieldStart("steps");
  }

  @Override
  public void message(String stepId, ConversationMessage message) throws IOException {
    if (!isInStep) {
      json.writeStartObject();
      json.writeStringField("id", stepId);
      json.writeArrayFieldStart("messages");
      isInStep = true;
    }
    json.writePOJO(message);
  }

  @Override
  public void ended(ConversationStep step) throws IOException {
    json.writeEndArray();
    for (var member : ServiceJson.object(step).properties()) {
      if (!member.getKey().equals("id") && !member.getKey().equals("messages")) {
        json.writeFieldName(member.getKey());
        json.writeTree(member.getValue());
      }
    }
    json.writeEndObject();
    isInStep = false;
  }

  void end() throws IOException {
    json.writeEndArray();
    json.writeEndObject();
    json.flush();
  }
}
