import type { Schema } from "effect"
import type { Principal } from "../engine/access/account.ts"
import type { Reservation } from "../engine/credits/LedgerStore.ts"
import type { Language } from "../engine/messages/languageCode.ts"
import type { Mode, Outcome } from "./event.ts"
import type { Usage } from "./LanguageModel.ts"

/** What a run needs to know of its generation, all of it settled when it was started. */
export interface GenerationBrief {
  readonly principal: Principal
  /** Under which its tools run and its messages are written. */
  readonly lang: Language
  readonly mode: Mode
  readonly coin: string | null
  /** `seed_context`: what the caller knows already. */
  readonly facts: Readonly<Record<string, Schema.Json>>
  /**
   * Where its caller reached the service, for addresses in the answer, whichever process goes on with it. Left out,
   * they are told as its process is configured.
   */
  readonly address?: string
  /** The message that the conversation ended with for who asked: no other one's proposals are accepted. */
  readonly shown?: number
  /** The answer that this one will replace once it has finished; null of a new question. */
  readonly replaces: number | null
}

/** What an answer consumed, beside its price. */
export interface Consumption extends Usage {
  /** Steps of the model; of an answer that its runner ended, with the one that was under way. */
  readonly steps: number
  readonly toolCalls: number
  /** What its tools would have cost by themselves. */
  readonly toolCredits: number
}

/**
 * A generation: one run of the agent that answers one question. Times are epoch ms of the store's clock.
 *
 * It is `running` until it ends, once, as `ended`; it is `closed` when nothing more is appended to its log.
 */
export interface Generation {
  readonly id: number
  readonly account: number
  readonly conversation: number
  /** The message that it answers. */
  readonly question: number
  readonly brief: GenerationBrief
  readonly reservation: Reservation
  readonly state: "running" | "ended" | "closed"
  /** How often it was taken, 0 until then: what is written under an earlier epoch changes nothing. */
  readonly epoch: number
  /** The number of the next event. */
  readonly nextN: number
  readonly startedAt: number
  /** When its runner last showed itself. */
  readonly renewedAt: number
  /** Null while it runs. */
  readonly endedAt: number | null
  readonly outcome: Outcome | null
  /** The message that holds its answer; null while it runs, and when it ended without one. */
  readonly answer: number | null
}

/** In whose name something is written: what a runner holds from the moment that it took the generation. */
export interface Fence {
  readonly generation: number
  readonly epoch: number
  /**
   * When given, the number that the next event must have, else the fence does not hold: a write that was made, and
   * whose answer was lost, is not made again, even while the first is still under way.
   */
  readonly nextN?: number
}

/**
 * What was done once and is not done again: a model's step under `step:<n>`, a tool's call under `call:<step>.<index>`.
 * `content` is the state machine's own.
 */
export interface StoredStep {
  readonly name: string
  readonly content: Schema.Json
}
