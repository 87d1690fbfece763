import type { Schema } from "effect"
import type { Principal } from "../engine/access/account.ts"
import type { Reservation } from "../engine/credits/LedgerStore.ts"
import type { Language } from "../engine/messages/languageCode.ts"
import type { Mode, Outcome } from "./event.ts"
import type { Usage } from "./LanguageModel.ts"

/** The inputs of a generation, all fixed at its start. */
export interface GenerationBrief {
  readonly principal: Principal
  /** The language of its tools' texts and of its messages. */
  readonly lang: Language
  readonly mode: Mode
  readonly coin: string | null
  /** `seed_context`: facts that the caller already knows. */
  readonly facts: Readonly<Record<string, Schema.Json>>
  /**
   * The address at which the caller reached the service, used for links in the answer, whichever process continues the
   * generation. If it is absent, links use the address that the running process is configured with.
   */
  readonly address?: string
  /**
   * The id of the last message that the caller saw in the conversation. Only proposals of this message can be accepted.
   */
  readonly shown?: number
  /** The answer that the new one replaces once it has finished; null for a new question. */
  readonly replaces: number | null
}

/** The resources that an answer used, in addition to its price. */
export interface Consumption extends Usage {
  /** The number of model steps. If the runner ended the answer, this includes the step in progress. */
  readonly steps: number
  readonly toolCalls: number
  /** The credits that the answer's tool calls would have cost as separate calls. */
  readonly toolCredits: number
}

/**
 * A generation: one run of the agent that answers one question. Times are in ms since 1970, by the store's clock.
 *
 * The state is `running` until the generation ends, which happens once; then `ended`. It is `closed` when nothing more
 * is appended to its log.
 */
export interface Generation {
  readonly id: number
  readonly account: number
  readonly conversation: number
  /** The id of the question's message. */
  readonly question: number
  readonly brief: GenerationBrief
  readonly reservation: Reservation
  readonly state: "running" | "ended" | "closed"
  /** How many times processes have taken the generation, 0 at first. A write with an earlier epoch changes nothing. */
  readonly epoch: number
  /** The number of the next event. */
  readonly nextN: number
  readonly startedAt: number
  /** The time of the runner's last sign of life. */
  readonly renewedAt: number
  /** Null while the generation runs. */
  readonly endedAt: number | null
  readonly outcome: Outcome | null
  /** The id of the message with the answer. Null while the generation runs, and if it ended without an answer. */
  readonly answer: number | null
}

/** The right to write to a generation. A runner gets it when it takes the generation. */
export interface Fence {
  readonly generation: number
  readonly epoch: number
  /**
   * If present, the fence holds only if the next event gets this number. This prevents a repeated write when the first
   * one was made, or is in progress, and its response was lost.
   */
  readonly nextN?: number
}

/**
 * Completed work that is never repeated: a model's step under `step:<n>`, a tool call under `call:<step>.<index>`. Only
 * the state machine interprets `content`.
 */
export interface StoredStep {
  readonly name: string
  readonly content: Schema.Json
}
