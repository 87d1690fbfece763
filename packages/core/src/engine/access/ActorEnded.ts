import { Schema } from "effect"
import { type ConvertibleToToolFailure, ToolFailure } from "../tool/failure.ts"

/**
 * The session or API key that requested a change ended while the request ran, or the key lost the scope
 * `write:personal`.
 */
export class ActorEnded extends Schema.TaggedError<ActorEnded>()("ActorEnded", {}) implements ConvertibleToToolFailure {
  override get message(): string {
    return "the session or key that requests the change has ended, or lacks write:personal"
  }

  get toolFailure(): ToolFailure {
    return new ToolFailure({ code: "conflict", callerMessage: { key: "actor_ended" }, retryable: false })
  }
}
