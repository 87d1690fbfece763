import type { Schema } from "effect"
import type { Principal } from "../engine/access/account.ts"
import type { Reservation } from "../engine/credits/reservation.ts"
import type { Language } from "../engine/messages/languageCode.ts"
import type { Mode, Outcome } from "./event.ts"
import type { Usage } from "./LanguageModel.ts"

/** The inputs of a generation, all fixed when the generation starts. */
export interface GenerationBrief {
  readonly principal: Principal
  /** The language of the generation's messages and of its tools' texts. */
  readonly lang: Language
  readonly mode: Mode
  readonly coin: string | null
  /** Facts that the caller already knows, from the request field `seed_context`. */
  readonly facts: Readonly<Record<string, Schema.Json>>
  /**
   * The URL through which the caller reached the service, for links in the answer. Without `address`, links use the
   * base URL of the process that runs the answer.
   */
  readonly address?: string
  /** The id of the proposal that the question accepts, because the question is only a word of confirmation. */
  readonly accepts?: string
  /** Whether the model may write without a proposal. If `writes` is absent, each write becomes a proposal. */
  readonly writes?: "allow"
  /** The message id of the old answer that the new answer replaces when it has finished, or null for a new question. */
  readonly replaces: number | null
}

/** The tokens, steps and tool calls that an answer used. */
export interface Consumption extends Usage {
  /** The number of the model's steps for the answer. */
  readonly steps: number
  readonly toolCalls: number
  /** The credits that the answer's tool calls would have cost as separate calls. */
  readonly toolCredits: number
}

/**
 * A generation: one run of the agent that answers one question, with times in ms since 1970 by the store's clock. In
 * the state `ended`, the outcome is stored. In the state `closed`, the generation's log is complete.
 */
export interface Generation {
  readonly id: number
  readonly account: number
  readonly conversation: number
  readonly question: number
  readonly brief: GenerationBrief
  readonly reservation: Reservation
  readonly state: "running" | "ended" | "closed"
  /** The number of times that processes have taken the generation; a write with an earlier epoch changes nothing. */
  readonly epoch: number
  readonly nextN: number
  readonly startedAt: number
  readonly renewedAt: number
  readonly endedAt: number | null
  readonly outcome: Outcome | null
  /** The message id of the answer; null while the generation is running, or if it ended without an answer. */
  readonly answer: number | null
}

/** The right to write to a generation, which a runner gets when it takes the generation. */
export interface Fence {
  readonly generation: number
  readonly epoch: number
  /**
   * The number that the runner expects the next event to have. A retried write changes nothing if the first attempt was
   * stored.
   */
  readonly nextN?: number
}

/**
 * A completed step of the model, named `step:<n>`, or a completed tool call, named `call:<step>.<index>`. Stored steps
 * are never repeated.
 */
export interface StoredStep {
  readonly name: string
  readonly content: Schema.Json
}
