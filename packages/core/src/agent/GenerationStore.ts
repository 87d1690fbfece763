import { Context, type Effect } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { EndRequest, EndResult, Reservation } from "../engine/credits/LedgerStore.ts"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { ChatMessage, NewChatMessage, PersonalScope } from "./conversation.ts"
import type { GenerationEvent, Mode, Outcome } from "./event.ts"
import type { Consumption, Fence, Generation, GenerationBrief, StoredStep } from "./generation.ts"

/** The conversation that a question belongs to. */
export type QuestionTarget =
  | { readonly _tag: "New"; readonly title: string; readonly mode: Mode }
  /** Adds the question to an existing conversation, whose mode must equal a non-null `mode`. */
  | { readonly _tag: "Existing"; readonly conversation: number; readonly mode: Mode | null }
  /** Answers the conversation's last question again; a new answer replaces the old answer when it has finished. */
  | { readonly _tag: "Again"; readonly conversation: number; readonly mode: Mode | null }

export interface StartRequest {
  readonly account: number
  readonly target: QuestionTarget
  /** The scopes that the caller may read; an existing conversation with any other scope counts as absent. */
  readonly readableScopes: ReadonlyArray<Scope>
  /** The scopes of the records in the question, which the conversation gets together with the question. */
  readonly usedScopes: ReadonlyArray<PersonalScope>
  /** The new question, or null to answer the conversation's last question again. */
  readonly question: NewChatMessage | null
  readonly brief: Omit<GenerationBrief, "mode" | "replaces">
  readonly reservation: Reservation
  /** The minimum remaining lease of the reservation after the start, in ms. */
  readonly leaseMs: number
  readonly idempotencyKey: string | null
}

/** The result of a start request, of which only `Started` changes the store. */
export type StartResult =
  | { readonly _tag: "Started"; readonly generation: Generation }
  /** An earlier request with an equal idempotency key started a generation that is running or has finished. */
  | { readonly _tag: "Attached"; readonly generation: Generation }
  | { readonly _tag: "NoConversation" }
  | { readonly _tag: "Busy"; readonly generation: number }
  | { readonly _tag: "OtherMode"; readonly mode: Mode }
  /** The conversation has no question that could be answered again. */
  | { readonly _tag: "NoQuestion" }
  /** The reservation had expired or ended, so nothing was started. */
  | { readonly _tag: "Lapsed" }

/** The data with which a generation ends. */
export interface GenerationEnd {
  readonly outcome: Outcome
  /** The answer, or null to store no answer; only an answer with the outcome `finished` replaces an earlier answer. */
  readonly answer: NewChatMessage | null
  readonly settlement: EndRequest["outcome"]
  readonly consumed: Consumption
  /** Builds the last events of a generation, ending with `done`, from the outcome of the reservation. */
  readonly events: (ending: EndResult) => ReadonlyArray<GenerationEvent>
  /** Whether a `suggest` event may follow the end; if false, the generation is closed at once. */
  readonly isOpen: boolean
}

/** A running generation with its stored steps and events, for a caller that ends the generation without its runner. */
export interface Transcript {
  readonly generation: Generation
  readonly steps: ReadonlyArray<StoredStep>
  readonly events: ReadonlyArray<GenerationEvent>
}

/**
 * Stores generations, in transactions shared with `ConversationStore`, `GenerationLog` and `LedgerStore`. All methods
 * keep these invariants under any concurrency, on any number of nodes, even if a process crashes or freezes:
 *
 * 1. A conversation has at most one running generation.
 * 2. Each write of a run is one transaction that first changes the generation's row `where epoch = fence.epoch and
 *    state = 'running'` (and `next_n = fence.nextN`, if given). A runner without the fence changes nothing.
 * 3. Event numbers come from the generation's row within the transaction, and have no gaps.
 * 4. A generation ends once: one transaction stores the answer, the end of the reservation, the event `done` and the
 *    row's state.
 * 5. All times come from the store's clock.
 */
export class GenerationStore extends Context.Service<GenerationStore, {
  /**
   * Starts a generation in one transaction, which also extends the reservation, and stores the conversation and the
   * question. The new generation has epoch 0 and the event `conversation` with number 1, and waits for a process to
   * take it.
   */
  readonly start: (request: StartRequest) => Effect.Effect<StartResult, StoreUnavailable>
  readonly find: (generation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the account's newest generation with an idempotency key, while the generation's row is kept. */
  readonly findByKey: (account: number, idempotencyKey: string) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the running generation of an account's conversation, or null if no generation is running. */
  readonly findRunning: (account: number, conversation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Returns, oldest first, running generations that were not renewed for `staleMs`, or not taken within `untakenMs`.
   */
  readonly listAbandoned: (
    options: { readonly staleMs: number; readonly untakenMs: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /**
   * Takes a running generation and adds `epochs` (default 1) to its epoch; one of several competing processes succeeds.
   * Returns null if the generation is not running, or was taken before and renewed within `staleMs`.
   */
  readonly take: (
    generation: number,
    staleMs: number,
    epochs?: number
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the stored steps of the generation, in the order in which they were stored. */
  readonly listSteps: (generation: number) => Effect.Effect<ReadonlyArray<StoredStep>, StoreUnavailable>
  /** Appends events and renews the generation's row, or returns false without a change if the fence no longer holds. */
  readonly append: (
    fence: Fence,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Stores steps with their events and renews the row, or returns false without a change if the fence no longer holds.
   * If a step with an equal name is already stored, the call dies, because the runner has a bug.
   */
  readonly storeSteps: (
    fence: Fence,
    steps: ReadonlyArray<StoredStep>,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Renews the generation's row to report that the runner is alive, or returns false if the fence no longer holds. */
  readonly renew: (fence: Fence) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Ends the generation under its fence, and returns the message of the answer, if an answer was stored. If `held` is
   * false, the fence no longer held, and nothing changed.
   */
  readonly end: (
    fence: Fence,
    end: GenerationEnd
  ) => Effect.Effect<{ readonly held: boolean; readonly answer: ChatMessage | null }, StoreUnavailable>
  /**
   * Ends a running generation without its runner, in one transaction that also adds 1 to the epoch. Returns null
   * without a change if the generation is not running, although `end` may have been called.
   */
  readonly forceEnd: (
    generation: number,
    end: (transcript: Transcript) => GenerationEnd
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Closes an ended generation after storing suggested questions, or returns false if the generation is closed. */
  readonly close: (generation: number, questions: ReadonlyArray<string>) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Closes generations that ended more than `closeAfterMs` ago, deletes logs and steps after `keepLogsMs`, and rows
   * after `keepRowsMs`. Makes at most `limit` changes of each kind, and returns the number of changes.
   */
  readonly sweep: (options: {
    readonly closeAfterMs: number
    readonly keepLogsMs: number
    readonly keepRowsMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/agent/GenerationStore") {}
