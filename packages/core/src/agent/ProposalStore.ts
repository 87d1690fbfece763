import { Context, type Effect } from "effect"
import type { StoreUnavailable } from "../engine/store/errors.ts"
import type { NewChatMessage } from "./conversation.ts"
import type { Proposal, ProposalResult } from "./proposal.ts"

/** The result of a claim. */
export type ProposalClaim =
  /**
   * The proposal is now `accepting`. `attempt` identifies this claim. If `isFirst` is true, the proposal was open, so
   * no other process runs the call.
   */
  | { readonly _tag: "Claimed"; readonly proposal: Proposal; readonly attempt: number; readonly isFirst: boolean }
  /** The proposal can no longer be accepted. Nothing was changed. */
  | { readonly _tag: "Closed"; readonly proposal: Proposal }

/** The final state of an accepted proposal. */
export interface ProposalEnd extends ProposalResult {
  readonly state: "accepted" | "failed"
  /** The message that reports the result in the conversation, or null for no message. */
  readonly report: NewChatMessage | null
}

/**
 * Stores the proposals of answers. `GenerationStore.end` inserts the proposals of an answer in the transaction that
 * ends the answer, so no proposal is open before its answer is stored. These rules hold for concurrent calls on any
 * number of nodes:
 *
 * 1. A proposal of another account counts as absent.
 * 2. The allowed transitions are open → accepting → accepted or failed; accepting → open; and open → dismissed,
 *    expired or superseded. `accepted`, `failed`, `dismissed`, `expired` and `superseded` are final.
 * 3. The tool, the arguments, the summary and the version never change.
 * 4. An open proposal is superseded as soon as its answer is replaced. All other proposals of a replaced answer belong
 *    to the new answer from then on, and earlier claims of these proposals cannot make them open again.
 * 5. A proposal is deleted together with its conversation.
 * 6. All times use the clock of the store.
 */
export class ProposalStore extends Context.Service<ProposalStore, {
  readonly find: (account: number, id: string) => Effect.Effect<Proposal | null, StoreUnavailable>
  /** Returns the proposals of the given messages of a conversation, in the order of their answers and calls. */
  readonly list: (
    account: number,
    conversation: number,
    messages: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<Proposal>, StoreUnavailable>
  /**
   * Changes an open proposal to `accepting`. A proposal that is `accepting` can be claimed again until
   * `acceptanceLifetimeMs` after the first claim. Returns null if the account has no such proposal.
   */
  readonly claim: (account: number, id: string) => Effect.Effect<ProposalClaim | null, StoreUnavailable>
  /**
   * Makes a claimed proposal open again. Returns false if another claim has followed, the proposal has ended, or its
   * answer was replaced.
   */
  readonly reopen: (account: number, id: string, attempt: number) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Ends an `accepting` proposal, and adds the report to the conversation in the same transaction. If the proposal has
   * already ended, nothing changes. Returns the ended proposal, or null if the account has no such proposal.
   */
  readonly end: (account: number, id: string, end: ProposalEnd) => Effect.Effect<Proposal | null, StoreUnavailable>
  /**
   * Changes an open proposal to `dismissed`. Returns the proposal, which has another state if the proposal was not open
   * or dismissed, or null if the account has no such proposal.
   */
  readonly dismiss: (account: number, id: string) => Effect.Effect<Proposal | null, StoreUnavailable>
}>()("@tapeline/core/agent/ProposalStore") {}
