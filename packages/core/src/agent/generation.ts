import type { Schema } from "effect"
import type { Principal } from "../engine/access/account.ts"
import type { Reservation } from "../engine/credits/LedgerStore.ts"
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
   * The base URL at which the caller reached the service. Links in the answer start with this URL, whichever process
   * runs the generation. If absent, links start with the configured base URL of the running process.
   */
  readonly address?: string
  /**
   * The id of the last message that the caller saw in the conversation. Only proposals of the last seen message can be
   * accepted.
   */
  readonly shown?: number
  /**
   * The message id of the answer that the new answer replaces once the new answer has finished; null for a new
   * question.
   */
  readonly replaces: number | null
}

/** The resources that an answer used, in addition to its price. */
export interface Consumption extends Usage {
  /** The number of model steps. If the runner ended the answer, the number includes the step in progress. */
  readonly steps: number
  readonly toolCalls: number
  /** The credits that the answer's tool calls would have cost as separate calls. */
  readonly toolCredits: number
}

/**
 * A generation: one run of the agent that answers one question. Times are in ms since 1970, by the store's clock.
 *
 * The state is `running` until the generation ends, then `ended`. A generation ends once. The state is `closed` when
 * nothing more is appended to the generation's log.
 */
export interface Generation {
  readonly id: number
  readonly account: number
  readonly conversation: number
  readonly question: number
  readonly brief: GenerationBrief
  readonly reservation: Reservation
  readonly state: "running" | "ended" | "closed"
  /**
   * The number of times that processes have taken the generation, starting at 0. A write with an earlier epoch changes
   * nothing.
   */
  readonly epoch: number
  readonly nextN: number
  readonly startedAt: number
  readonly renewedAt: number
  /** Null while the generation runs. */
  readonly endedAt: number | null
  readonly outcome: Outcome | null
  /** The message id of the answer; null while the generation is running, or if it ended without an answer. */
  readonly answer: number | null
}

/** The right to write to a generation. A runner gets the fence when it takes the generation. */
export interface Fence {
  readonly generation: number
  readonly epoch: number
  /**
   * If present, the fence holds only if the next event gets the number `nextN`, so that a write whose response was lost
   * is not repeated.
   */
  readonly nextN?: number
}

/**
 * Completed work that is never repeated. A model's step has the name `step:<n>`, a tool call `call:<step>.<index>`.
 * Only the state machine interprets `content`.
 */
export interface StoredStep {
  readonly name: string
  readonly content: Schema.Json
}
