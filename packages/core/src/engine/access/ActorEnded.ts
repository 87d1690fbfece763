import { Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../tool/failure.ts"

/** The session or key that makes a change was ended, or the key lost `write:personal`, while the request ran. */
export class ActorEnded extends Schema.TaggedError<ActorEnded>()("ActorEnded", {}) implements ConvertibleToToolFailure {
  override get message(): string {
    return "the session or key that makes the change is over"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "conflict", says: { key: "actor_ended" }, retryable: false })
  }
}
