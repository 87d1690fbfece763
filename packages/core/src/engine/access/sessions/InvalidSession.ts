import { Schema } from "effect"
import { formatMessage } from "../../messages/language.ts"

/**
 * The session does not exist or has ended. The error is equal in both cases, so that callers cannot find out which
 * sessions exist. The owner sees the reason for the end in the list of sessions.
 */
export class InvalidSession extends Schema.TaggedError<InvalidSession>()("InvalidSession", {}) {
  override get message(): string {
    return formatMessage({ key: "invalid_session" }, "en")
  }
}
