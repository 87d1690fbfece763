import { Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../tool/failure.ts"

/**
 * The error of a request whose session or API key ended, or lost the scope `write:personal`, before the request
 * finished.
 */
export class ActorEnded extends Schema.TaggedError<ActorEnded>()("ActorEnded", {}) implements ConvertibleToToolFailure {
  override get message(): string {
    return "the session or key that requests the change has ended, or lacks write:personal"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "conflict", callerMessage: { key: "actor_ended" }, retryable: false })
  }
}
