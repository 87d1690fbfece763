import { Schema } from "effect"
import { say } from "../../messages/language.ts"

/**
 * No session, or one that is over: one answer for all, so that nothing can be probed. Why a session ended is told to
 * its owner, by the list of sessions.
 */
export class InvalidSession extends Schema.TaggedError<InvalidSession>()("InvalidSession", {}) {
  override get message(): string {
    return say({ key: "invalid_session" }, "en")
  }
}
