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
  /** Adds the question to an existing conversation. A non-null `mode` must equal the conversation's mode. */
  | { readonly _tag: "Existing"; readonly conversation: number; readonly mode: Mode | null }
  /**
   * Answers the last question of the conversation again. The new answer replaces the old answer once the new answer has
   * finished.
   */
  | { readonly _tag: "Again"; readonly conversation: number; readonly mode: Mode | null }

export interface StartRequest {
  readonly account: number
  readonly target: QuestionTarget
  /** The scopes that the caller may read. An existing conversation with any other scope counts as absent. */
  readonly readableScopes: ReadonlyArray<Scope>
  /** The scopes of the records in the question, which the conversation gets together with the question. */
  readonly usedScopes: ReadonlyArray<PersonalScope>
  /** The question; null for `Again`. */
  readonly question: NewChatMessage | null
  /** The brief, without the fields that the store determines. */
  readonly brief: Omit<GenerationBrief, "mode" | "replaces">
  readonly reservation: Reservation
  /** The minimum remaining lease of the reservation after the start, in ms. */
  readonly leaseMs: number
  /** The idempotency key, with which a retry finds the generation again. */
  readonly idempotencyKey: string | null
}

/** The result of a start request, of which only `Started` changes the store. */
export type StartResult =
  | { readonly _tag: "Started"; readonly generation: Generation }
  /**
   * The account already started a generation whose reservation has an equal origin, and the generation runs or has
   * finished. A failed or cancelled generation does not count: its key may start another generation, and the key then
   * finds the newest.
   */
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
  /**
   * The answer, complete or partial. Null stores no answer. An answer replaces an earlier answer only if the outcome is
   * `finished`.
   */
  readonly answer: NewChatMessage | null
  readonly settlement: EndRequest["outcome"]
  readonly consumed: Consumption
  /** Builds the last events from the outcome of the reservation. The last event is `done`. */
  readonly events: (ending: EndResult) => ReadonlyArray<GenerationEvent>
  /** Whether a `suggest` event may follow. If not, the generation is closed at once. */
  readonly isOpen: boolean
}

/** A running generation with its stored steps and events, for a caller that ends the generation without its runner. */
export interface Transcript {
  readonly generation: Generation
  readonly steps: ReadonlyArray<StoredStep>
  readonly events: ReadonlyArray<GenerationEvent>
}

/**
 * Stores generations. The generation rows decide which process runs which generation. The store shares tables with
 * `ConversationStore` and `GenerationLog`, and transactions with `LedgerStore`.
 *
 * These invariants hold under any concurrency, on any number of nodes, even if a process crashes or freezes:
 *
 * 1. A conversation has at most one running generation.
 * 2. Each write of a run is one transaction. The transaction first changes the generation's row `where epoch =
 *    fence.epoch and state = 'running'` (and `next_n = fence.nextN`, if given). A runner that was replaced, or whose
 *    generation has ended, changes nothing, and receives `false`.
 * 3. Events get their numbers from the generation's row within the transaction. Event numbers have no gaps, and only
 *    the holder of the fence adds events.
 * 4. A generation ends once. One transaction stores the answer, the end of the reservation, the event `done` and the
 *    row's state.
 * 5. All times come from the store's clock.
 *
 * Followers of the log are notified after the transaction, never within it; see `GenerationLog`.
 */
export class GenerationStore extends Context.Service<GenerationStore, {
  /**
   * Starts a generation and extends its reservation, in one transaction. The transaction writes the conversation (new,
   * or found and not busy), the question, the generation's row with epoch 0, and the event `conversation` with number
   * 1. Afterwards the generation waits for a process to take it.
   */
  readonly start: (request: StartRequest) => Effect.Effect<StartResult, StoreUnavailable>
  readonly find: (generation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the account's newest generation with this idempotency key, while the generation's row is kept. */
  readonly findByKey: (account: number, idempotencyKey: string) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Returns the running generation of the conversation. Returns null if none is running, or if the conversation belongs
   * to another account.
   */
  readonly findRunning: (account: number, conversation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Returns running generations that were not renewed for `staleMs`, or not taken within `untakenMs` of the start.
   * Generations are sorted oldest first.
   */
  readonly listAbandoned: (
    options: { readonly staleMs: number; readonly untakenMs: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /**
   * Takes a running generation to run it: adds `epochs` (1 by default) to its epoch and renews it. Returns null if the
   * generation is not running, or if it was taken before and renewed within `staleMs`. If several processes try at
   * once, one process succeeds.
   */
  readonly take: (
    generation: number,
    staleMs: number,
    epochs?: number
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the stored steps of the generation, in the order in which they were stored. */
  readonly listSteps: (generation: number) => Effect.Effect<ReadonlyArray<StoredStep>, StoreUnavailable>
  /** Appends events and renews the generation's row. Returns false without a change if the fence no longer holds. */
  readonly append: (
    fence: Fence,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Stores steps with the events that follow from these steps, and renews the row. A second step with an already stored
   * name is a defect of the runner: the call dies and changes nothing. Returns false without a change if the fence no
   * longer holds.
   */
  readonly storeSteps: (
    fence: Fence,
    steps: ReadonlyArray<StoredStep>,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Renews the generation's row to report that the runner is alive. Returns false if the fence no longer holds. */
  readonly renew: (fence: Fence) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Ends the generation under its fence. Returns the message of the answer, if an answer was stored. If `held` is
   * false, `answer` is null and nothing changed.
   */
  readonly end: (
    fence: Fence,
    end: GenerationEnd
  ) => Effect.Effect<{ readonly held: boolean; readonly answer: ChatMessage | null }, StoreUnavailable>
  /**
   * Ends the generation regardless of its runner. One transaction locks the row, passes the stored steps and events to
   * `end`, and adds 1 to the epoch. Returns null if the generation is not running. If no generation is running, nothing
   * changes, although `end` may be called.
   */
  readonly forceEnd: (
    generation: number,
    end: (transcript: Transcript) => GenerationEnd
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Closes an ended generation. Appends a `suggest` event, and stores the questions with the answer, unless `questions`
   * is empty. Returns false if the generation is already closed.
   */
  readonly close: (generation: number, questions: ReadonlyArray<string>) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Closes generations that ended more than `closeAfterMs` ago and are still open. Deletes the logs and steps of
   * generations that ended more than `keepLogsMs` ago, and generation rows after `keepRowsMs`. Makes at most `limit`
   * changes of each kind, and returns the number of changes.
   */
  readonly sweep: (options: {
    readonly closeAfterMs: number
    readonly keepLogsMs: number
    readonly keepRowsMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/agent/GenerationStore") {}
