import { Schema } from "effect"
import { formatMessage } from "../../messages/language.ts"

/**
 * The error of a session that does not exist or has ended. Both cases have the same error, so that a caller cannot find
 * out whether a session exists.
 */
export class InvalidSession extends Schema.TaggedError<InvalidSession>()("InvalidSession", {}) {
  override get message(): string {
    return formatMessage({ key: "invalid_session" }, "en")
  }
}
