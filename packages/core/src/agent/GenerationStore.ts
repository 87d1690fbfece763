import { Context, type Effect } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { EndRequest, EndResult } from "../engine/credits/LedgerStore.ts"
import type { Reservation } from "../engine/credits/reservation.ts"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { ChatMessage, NewChatMessage, PersonalScope } from "./conversation.ts"
import type { GenerationEvent, Mode, Outcome } from "./event.ts"
import type { Consumption, Fence, Generation, GenerationBrief, StoredStep } from "./generation.ts"
import type { NewProposal } from "./proposal.ts"

/** The conversation that a question belongs to. */
export type QuestionTarget =
  | { readonly _tag: "New"; readonly title: string; readonly mode: Mode }
  /** Adds the question to an existing conversation. If `mode` is not null, it must equal the conversation's mode. */
  | { readonly _tag: "Existing"; readonly conversation: number; readonly mode: Mode | null }
  /** Answers the conversation's last question again; a new answer replaces the old answer when it has finished. */
  | { readonly _tag: "Again"; readonly conversation: number; readonly mode: Mode | null }

export interface StartRequest {
  readonly account: number
  readonly target: QuestionTarget
  /** The scopes that the caller may read; a conversation with any other scope counts as absent. */
  readonly readableScopes: ReadonlyArray<Scope>
  /** The personal scopes to add to the conversation when the question is stored. */
  readonly usedScopes: ReadonlyArray<PersonalScope>
  /** The new question, or null to answer the conversation's last question again. */
  readonly question: NewChatMessage | null
  readonly brief: Omit<GenerationBrief, "mode" | "replaces">
  readonly reservation: Reservation
  /** The minimum time for which the reservation of credits remains valid after the start, in ms. */
  readonly leaseMs: number
  readonly idempotencyKey: string | null
}

/** The result of a start request. The store changes only if the result is `Started`. */
export type StartResult =
  | { readonly _tag: "Started"; readonly generation: Generation }
  /**
   * An earlier request with an equal idempotency key started a generation that is running or has finished. The key of a
   * failed or cancelled generation may start another generation.
   */
  | { readonly _tag: "Attached"; readonly generation: Generation }
  | { readonly _tag: "NoConversation" }
  | { readonly _tag: "Busy"; readonly generation: number }
  | { readonly _tag: "OtherMode"; readonly mode: Mode }
  /** The conversation has no question to answer again. */
  | { readonly _tag: "NoQuestion" }
  /** The reservation had expired or ended, so no generation was started. */
  | { readonly _tag: "Lapsed" }

export interface GenerationEnd {
  readonly outcome: Outcome
  /**
   * The answer to store, or null to store no answer. The new answer replaces an earlier answer only if the outcome is
   * `finished`.
   */
  readonly answer: NewChatMessage | null
  /** The proposals of the answer, empty unless the outcome is `finished`. */
  readonly proposals: ReadonlyArray<NewProposal>
  readonly settlement: EndRequest["outcome"]
  readonly consumed: Consumption
  /**
   * Builds the generation's last events, ending with `done`. `ending` is the ledger's answer to the end of the
   * reservation.
   */
  readonly events: (ending: EndResult) => ReadonlyArray<GenerationEvent>
  /** Whether a `suggest` event may follow the `done` event. A generation without suggestions is closed when it ends. */
  readonly isOpen: boolean
}

/** A running generation with its stored steps and events. */
export interface Transcript {
  readonly generation: Generation
  readonly steps: ReadonlyArray<StoredStep>
  readonly events: ReadonlyArray<GenerationEvent>
}

/**
 * Stores generations. Shares tables with `ConversationStore` and `GenerationLog`, and transactions with `LedgerStore`.
 * These invariants hold for concurrent calls on any number of nodes, even if a process crashes or freezes:
 *
 * 1. A conversation has at most one running generation.
 * 2. Each write of a run is one transaction. The transaction first updates the generation's row. If the row's state is
 *    not `running`, or its epoch is not `fence.epoch`, the transaction changes nothing. If `fence.nextN` is given
 *    and differs from the row's `next_n`, the transaction changes nothing.
 * 3. Event numbers come from the generation's row within the transaction, and have no gaps.
 * 4. A generation ends once: one transaction stores the answer, its proposals, the end of the reservation, the event
 *    `done` and the row's state. If the answer replaces another answer, the same transaction supersedes the open
 *    proposals of the other answer, and assigns its other proposals to the new answer.
 * 5. All times come from the store's clock.
 */
export class GenerationStore extends Context.Service<GenerationStore, {
  /**
   * Starts a generation, extends the reservation of its credits, and stores the conversation and the question, all in
   * one transaction. The new generation has epoch 0 and the event `conversation` with number 1, and waits for a process
   * to take it.
   */
  readonly start: (request: StartRequest) => Effect.Effect<StartResult, StoreUnavailable>
  readonly find: (generation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Returns the account's newest generation with the given idempotency key, or null if its row was deleted or never
   * existed.
   */
  readonly findByKey: (account: number, idempotencyKey: string) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the running generation of an account's conversation, or null if no generation is running. */
  readonly findRunning: (account: number, conversation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns at most `limit` running generations of an account, oldest first. */
  readonly listRunning: (account: number, limit: number) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /** Returns at most `limit` running generations of accounts that are suspended or closed. */
  readonly listInactive: (limit: number) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /**
   * Returns running generations without an active runner, oldest first. A runner counts as inactive after `staleMs`
   * without a renewal. A generation that no runner has taken is returned after it has waited for `untakenMs`.
   */
  readonly listAbandoned: (
    options: { readonly staleMs: number; readonly untakenMs: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /**
   * Takes a running generation and adds `epochs` (default 1) to its epoch. If several processes call `take` at once,
   * only one call succeeds. Returns null if the generation is not running, or if another runner has renewed the
   * generation within `staleMs`.
   */
  readonly take: (
    generation: number,
    staleMs: number,
    epochs?: number
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Returns the stored steps of the generation, in the order in which they were stored. */
  readonly listSteps: (generation: number) => Effect.Effect<ReadonlyArray<StoredStep>, StoreUnavailable>
  /** Appends events and renews the generation's row. Returns false without a change if `fence` is outdated. */
  readonly append: (
    fence: Fence,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Stores steps with their events and renews the generation's row. Returns false without a change if `fence` is
   * outdated. Dies if a step with an equal name is already stored.
   */
  readonly storeSteps: (
    fence: Fence,
    steps: ReadonlyArray<StoredStep>,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<boolean, StoreUnavailable>
  /** Renews the generation's row to report that the runner is alive, or returns false if `fence` is outdated. */
  readonly renew: (fence: Fence) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Ends the generation, and returns the message of the answer if an answer was stored. If `fence` is outdated, nothing
   * changes and `held` is false.
   */
  readonly end: (
    fence: Fence,
    end: GenerationEnd
  ) => Effect.Effect<{ readonly held: boolean; readonly answer: ChatMessage | null }, StoreUnavailable>
  /**
   * Ends a running generation without its runner, and adds 1 to the epoch in the same transaction. Returns null without
   * a change if the generation is not running. `forceEnd` may call `end` and still return null.
   */
  readonly forceEnd: (
    generation: number,
    end: (transcript: Transcript) => GenerationEnd
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Stores suggested questions and closes an ended generation, or returns false if the generation is already closed.
   */
  readonly close: (generation: number, questions: ReadonlyArray<string>) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Closes generations that ended more than `closeAfterMs` ago. Deletes the logs and steps of generations that ended
   * more than `keepLogsMs` ago, and generations that ended more than `keepRowsMs` ago. Closes at most `limit`
   * generations, deletes at most `limit` logs and at most `limit` rows, and returns the number of changes.
   */
  readonly sweep: (options: {
    readonly closeAfterMs: number
    readonly keepLogsMs: number
    readonly keepRowsMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/agent/GenerationStore") {}
