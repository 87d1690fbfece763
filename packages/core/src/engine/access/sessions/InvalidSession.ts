import { Schema } from "effect"
import { formatMessage } from "../../messages/language.ts"

/**
 * The session does not exist or has ended. The error is the same in both cases, so that callers cannot probe for
 * sessions. The owner finds the reason in the list of sessions.
 */
export class InvalidSession extends Schema.TaggedError<InvalidSession>()("InvalidSession", {}) {
  override get message(): string {
    return formatMessage({ key: "invalid_session" }, "en")
  }
}
