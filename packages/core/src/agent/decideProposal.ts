import type { NewChatMessage } from "./conversation.ts"
import type { Proposal, ProposalResult, ProposalState } from "./proposal.ts"
import type { ProposalClaim, ProposalEnd } from "./ProposalStore.ts"

/** A proposal as its row in a store describes it at the time of a change. */
export interface ProposalRow {
  readonly proposal: Proposal
  /** The number of claims, plus the number of replacements of the proposal's answer while it was `accepting`. */
  readonly attempt: number
  /** Whether the row is in the state `accepting`, even if the acceptance is final. */
  readonly isAccepting: boolean
}

/** The fields that a store must write after a change. The store sets the time of the first claim. */
export interface ProposalUpdate {
  readonly state: ProposalState
  readonly attempt: number
  readonly result: ProposalResult | null
  /** The message to add to the conversation, or null for no message. */
  readonly report: NewChatMessage | null
}

export interface ProposalDecision<A> {
  /** The fields to write, or null to change nothing. */
  readonly update: ProposalUpdate | null
  readonly result: A
}

/*
 * The decisions on changes of a proposal. Every proposal store uses these functions, so that all stores decide equally.
 */

export const decideClaim = ({ attempt, proposal }: ProposalRow): ProposalDecision<ProposalClaim> => {
  const { state } = proposal
  if (state !== "open" && state !== "accepting") return { update: null, result: { _tag: "Closed", proposal } }
  const next = attempt + 1
  return {
    update: { state: "accepting", attempt: next, result: null, report: null },
    result: {
      _tag: "Claimed",
      proposal: { ...proposal, state: "accepting" },
      attempt: next,
      isFirst: state === "open"
    }
  }
}

export const decideReopening =
  (claimed: number) => ({ attempt, isAccepting }: ProposalRow): ProposalDecision<boolean> =>
    isAccepting && attempt === claimed
      ? { update: { state: "open", attempt, result: null, report: null }, result: true }
      : { update: null, result: false }

/** The result lacks the id of the report, which the store adds. */
export const decideEnd = (end: ProposalEnd) =>
({ attempt, isAccepting, proposal }: ProposalRow): ProposalDecision<
  Proposal
> => {
  if (!isAccepting) return { update: null, result: proposal }
  const { envelope, error, report, state } = end
  const result = { envelope, error }
  return { update: { state, attempt, result, report }, result: { ...proposal, state, result } }
}

export const decideDismissal = ({ attempt, proposal }: ProposalRow): ProposalDecision<Proposal> =>
  proposal.state === "open"
    ? {
      update: { state: "dismissed", attempt, result: null, report: null },
      result: { ...proposal, state: "dismissed" }
    }
    : { update: null, result: proposal }
