import type { ProposalBody } from "@tapeline/api"
import type { Acceptance, Proposal } from "@tapeline/core/agent"

const iso = (time: number): string => new Date(time).toISOString()

/** Converts a proposal to a response body. `failure` is the error of an acceptance that did not end. */
export const toProposalBody = (proposal: Proposal, failure: Acceptance["failure"] = null): typeof ProposalBody.Type => {
  const error = proposal.result?.error ?? failure
  return {
    id: proposal.id,
    conversation_id: proposal.conversation,
    message_id: proposal.message,
    tool: proposal.tool,
    arguments: proposal.arguments,
    summary: proposal.summary,
    state: proposal.state,
    created_at: iso(proposal.createdAt),
    expires_at: iso(proposal.expiresAt),
    envelope: proposal.result?.envelope ?? null,
    error: error === null ? null : { code: error.code, message: error.message },
    report_message_id: proposal.report
  }
}
