import { Schema } from "effect"
import type { Language } from "../engine/messages/languageCode.ts"

/** The maximum time in which a proposal can be accepted, in ms. */
export const proposalLifetimeMs = 86_400_000

/**
 * The maximum time from the first acceptance of a proposal to its last completion, in ms. An acceptance that did not
 * complete within this time is final.
 */
export const acceptanceLifetimeMs = 86_400_000

/** The maximum number of proposals in an answer. */
export const maxProposals = 5

/**
 * The state of a proposal:
 *
 * - `open`: the owner can accept or dismiss the proposal.
 * - `accepting`: the owner has accepted the proposal. The call runs, or was interrupted and can be accepted again.
 * - `accepted`: the call was carried out.
 * - `failed`: the call was not carried out, or its outcome stayed unknown for 24 hours.
 * - `dismissed`: the owner has dismissed the proposal.
 * - `expired`: the proposal was neither accepted nor dismissed within 24 hours.
 * - `superseded`: a new answer has replaced the answer of the proposal.
 */
export const ProposalState = Schema.Literals([
  "open",
  "accepting",
  "accepted",
  "failed",
  "dismissed",
  "expired",
  "superseded"
])
export type ProposalState = typeof ProposalState.Type

/** A checked call of a tool that writes, as the result of the call stores it. */
export const ProposedCall = Schema.Struct({
  /** The decoded arguments, encoded again, so that defaults are explicit. */
  arguments: Schema.Json,
  /** A description of the call that the service made from the tool and its arguments. */
  summary: Schema.String,
  /** The version of the record that the call changes, or null if the call changes no existing record. */
  version: Schema.NullOr(Schema.String)
})
export type ProposedCall = typeof ProposedCall.Type

/** A proposal to store at the end of an answer. */
export interface NewProposal extends ProposedCall {
  /** The id of the call that made the proposal, such as `1.2`. */
  readonly call: string
  readonly tool: string
  readonly lang: Language
}

/** The result of an accepted proposal: the envelope of the call, or the error for which the call failed. */
export interface ProposalResult {
  readonly envelope: Schema.Json | null
  readonly error: { readonly code: string; readonly message: string } | null
}

/** A stored proposal of an answer, with times in ms since 1970 by the clock of the store. */
export interface Proposal extends NewProposal {
  readonly id: string
  readonly account: number
  readonly conversation: number
  /** The id of the message of the answer. */
  readonly message: number
  readonly state: ProposalState
  readonly createdAt: number
  readonly expiresAt: number
  /** The result of the call; null unless the state is `accepted` or `failed`. */
  readonly result: ProposalResult | null
  /** The id of the message that reports the accepted proposal, or null. */
  readonly report: number | null
}

/** Identifies a proposal by its generation and its call. */
export interface ProposalKey {
  readonly generation: number
  readonly call: string
}

/** Returns the id of a proposal, which is known before the proposal is stored. */
export const formatProposalId = ({ call, generation }: ProposalKey): string => `p_${generation}_${call}`

/** Parses the id of a proposal, or returns null if the text has another form. */
export const parseProposalId = (id: string): ProposalKey | null => {
  const [, generation, call] = /^p_([1-9]\d{0,15})_([1-9]\d{0,5}\.[1-9]\d{0,5})$/.exec(id) ?? []
  const number = Number(generation)
  return call !== undefined && Number.isSafeInteger(number) ? { generation: number, call } : null
}
