import { Context, type Effect } from "effect"
import type { Scope } from "../engine/access/scope.ts"
import type { Ending, EndRequest, Reservation } from "../engine/credits/LedgerStore.ts"
import type { StoreUnavailable } from "../engine/store/StoreUnavailable.ts"
import type { ChatMessage, NewChatMessage, PersonalScope } from "./conversation.ts"
import type { GenerationEvent, Mode, Outcome } from "./event.ts"
import type { Consumption, Fence, Generation, GenerationBrief, StoredStep } from "./generation.ts"

/** Where a question is asked. */
export type Place =
  | { readonly _tag: "New"; readonly title: string; readonly mode: Mode }
  /** `mode`, when given, must be the conversation's. */
  | { readonly _tag: "Existing"; readonly conversation: number; readonly mode: Mode | null }
  /** The last question of the conversation again; its answer is replaced once the new one has finished. */
  | { readonly _tag: "Again"; readonly conversation: number; readonly mode: Mode | null }

export interface StartRequest {
  readonly account: number
  readonly place: Place
  /** An existing conversation with another scope than these counts as absent. */
  readonly readable: ReadonlyArray<Scope>
  /** Scopes of what the question holds. The conversation gets them with the question. */
  readonly uses: ReadonlyArray<PersonalScope>
  /** The question; of `Again` it is null. */
  readonly question: NewChatMessage | null
  /** All of the brief but what the store finds out. */
  readonly brief: Omit<GenerationBrief, "mode" | "replaces">
  readonly reservation: Reservation
  /** The least time for which the reservation lasts after the start, in ms. */
  readonly leaseMs: number
  /** The idempotency key of the request. A generation is found again by it. */
  readonly idempotencyKey: string | null
}

/** What a request to start came to. Only `Started` changed anything. */
export type Start =
  | { readonly _tag: "Started"; readonly generation: Generation }
  /**
   * One of the same account and reservation's origin was started before, and runs or finished. (One that failed or was
   * cancelled is in nobody's way: its key may ask again, and the newest is found by the key.)
   */
  | { readonly _tag: "Attached"; readonly generation: Generation }
  | { readonly _tag: "NoConversation" }
  /** Another generation of the conversation runs. */
  | { readonly _tag: "Busy"; readonly generation: number }
  | { readonly _tag: "OtherMode"; readonly mode: Mode }
  /** There is no question to be answered again. */
  | { readonly _tag: "NoQuestion" }
  /** The reservation had lapsed or ended, so nothing was started. */
  | { readonly _tag: "Lapsed" }

/** What was written under a fence: `false` when the fence no longer holds, and nothing was changed. */
export type Held = boolean

/** How a generation is to end. */
export interface End {
  readonly outcome: Outcome
  /** The answer, whole or partial; null keeps none. One that replaces another takes its place only when finished. */
  readonly answer: NewChatMessage | null
  readonly settlement: EndRequest["outcome"]
  readonly consumed: Consumption
  /** The last events, made from what became of the reservation: `done` is the last of them. */
  readonly events: (ending: Ending) => ReadonlyArray<GenerationEvent>
  /** Whether a `suggest` may follow. Without, the generation is closed at once. */
  readonly open: boolean
}

/** What is known of a run that somebody else ends. */
export interface Transcript {
  readonly generation: Generation
  readonly steps: ReadonlyArray<StoredStep>
  /** Its events so far, all of them. */
  readonly events: ReadonlyArray<GenerationEvent>
}

/**
 * Generations: the rows that are the truth about who runs what. Shares its tables with `ConversationStore` and
 * `GenerationLog`, and its transactions with `LedgerStore`.
 *
 * What must hold under any concurrency, on any number of nodes, whoever dies or freezes when:
 *
 * 1. A conversation has at most one generation that runs.
 * 2. Every write of a run is one transaction that first changes the generation's row `where epoch = fence.epoch and
 *    state = 'running'` (and `next_n = fence.nextN`, when that is given): a runner that was replaced, or whose
 *    generation has ended, changes nothing, and is told so.
 * 3. Events take their numbers from the row within that transaction: gapless, and of whoever held the fence.
 * 4. A generation ends once. Its answer, the end of its reservation, `done` and the row's state are one transaction.
 * 5. Time is the store's.
 *
 * Who follows the log is woken after the transaction, never within it; see `GenerationLog`.
 */
export class GenerationStore extends Context.Service<GenerationStore, {
  /**
   * In one transaction: the conversation (new, or found and not busy), the question, the generation's row with epoch 0,
   * the event `conversation` with number 1, and the extended reservation. No process has taken the generation yet.
   */
  readonly start: (request: StartRequest) => Effect.Effect<Start, StoreUnavailable>
  readonly find: (generation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /** The newest that was started under an idempotency key of the account, as long as its row is kept. */
  readonly byKey: (account: number, idempotencyKey: string) => Effect.Effect<Generation | null, StoreUnavailable>
  /** The one of the conversation that runs; null when none does, or the conversation is another account's. */
  readonly running: (account: number, conversation: number) => Effect.Effect<Generation | null, StoreUnavailable>
  /** Running generations, oldest first: not renewed for `staleMs`, or not taken within `untakenMs` of the start. */
  readonly abandoned: (
    options: { readonly staleMs: number; readonly untakenMs: number; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<Generation>, StoreUnavailable>
  /**
   * Takes a running generation, to run it: its epoch is `epochs` more, 1 by default, and it is renewed. Null when it
   * does not run, or when it was taken before and renewed within `staleMs`. Of many that try at once, one takes it.
   */
  readonly take: (
    generation: number,
    staleMs: number,
    epochs?: number
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /** What has been done of it, in the order in which it was stored. */
  readonly steps: (generation: number) => Effect.Effect<ReadonlyArray<StoredStep>, StoreUnavailable>
  /** Appends events; renews the row. */
  readonly append: (fence: Fence, events: ReadonlyArray<GenerationEvent>) => Effect.Effect<Held, StoreUnavailable>
  /**
   * Stores what was done, with the events that follow from it, and renews the row. A step of the same name that is
   * already stored is a defect of the runner: nothing is changed, and it dies.
   */
  readonly store: (
    fence: Fence,
    steps: ReadonlyArray<StoredStep>,
    events: ReadonlyArray<GenerationEvent>
  ) => Effect.Effect<Held, StoreUnavailable>
  /** Says that the runner lives. */
  readonly renew: (fence: Fence) => Effect.Effect<Held, StoreUnavailable>
  /** Ends it under its fence. The message of the answer, if one was kept; null with `held` false: nothing happened. */
  readonly end: (
    fence: Fence,
    end: End
  ) => Effect.Effect<{ readonly held: Held; readonly answer: ChatMessage | null }, StoreUnavailable>
  /**
   * Ends it whoever runs it, from what stands in the store at that instant: in one transaction the row is locked, `end`
   * is told what has been done and shown, and the epoch is one more. Null when it does not run; nothing was changed
   * then, and `end` may have been asked or not.
   */
  readonly endAnyway: (
    generation: number,
    end: (transcript: Transcript) => End
  ) => Effect.Effect<Generation | null, StoreUnavailable>
  /**
   * Closes an ended generation: appends `suggest` and keeps the questions with its answer, or just closes it when there
   * are none. False when it is closed already.
   */
  readonly close: (generation: number, questions: ReadonlyArray<string>) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Closes what ended more than `closeAfterMs` ago and nobody closed; drops logs and steps of what ended more than
   * `keepLogsMs` ago, and rows after `keepRowsMs`. At most `limit` of each. How many it changed.
   */
  readonly sweep: (options: {
    readonly closeAfterMs: number
    readonly keepLogsMs: number
    readonly keepRowsMs: number
    readonly limit: number
  }) => Effect.Effect<number, StoreUnavailable>
}>()("@tapeline/core/agent/GenerationStore") {}
