import { Schema } from "effect"
import { say } from "../../messages/language.ts"

/**
 * There is no session, or it is over. The error does not say which, so that nobody can probe for sessions. The list of
 * sessions tells the owner why a session ended.
 */
export class InvalidSession extends Schema.TaggedError<InvalidSession>()("InvalidSession", {}) {
  override get message(): string {
    return say({ key: "invalid_session" }, "en")
  }
}
