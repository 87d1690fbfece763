import { Effect, type Schema } from "effect"
import type { Principal } from "../../engine/access/account.ts"
import type { Scope } from "../../engine/access/scope.ts"
import type { CallOutcome } from "../../engine/call/envelope.ts"
import { type CallRejection, ScopeRequired } from "../../engine/call/errors.ts"
import type { ToolCaller } from "../../engine/call/ToolCaller.ts"
import { formatMessage } from "../../engine/messages/language.ts"
import type { StoreUnavailable } from "../../engine/store/errors.ts"
import type { NewChatMessage } from "../conversation.ts"
import type { ConversationStore } from "../ConversationStore.ts"
import { acceptanceLifetimeMs, type Proposal } from "../proposal.ts"
import type { ProposalClaim, ProposalEnd, ProposalStore } from "../ProposalStore.ts"
import { requireReadable, requireScopes } from "./conversationScopes.ts"
import {
  type AcceptProposalError,
  ProposalClosed,
  type ProposalError,
  ProposalNotFound,
  ProposalOutdated
} from "./errors.ts"

export interface ProposalServices {
  readonly proposals: ProposalStore["Service"]
  readonly conversations: ConversationStore["Service"]
  readonly caller: ToolCaller["Service"]
  /** Returns whether the actor of a principal still has a scope. */
  readonly isScopeHeld: (principal: Principal, scope: Scope) => Effect.Effect<boolean, StoreUnavailable>
}

/** An accepted proposal, and the error of a call whose proposal stays `accepting`. */
export interface Acceptance {
  readonly proposal: Proposal
  readonly failure: { readonly code: string; readonly message: string } | null
}

/**
 * The time for which the idempotency key of an acceptance is kept, in ms. The key outlives `acceptanceLifetimeMs`, so
 * that the last possible completion still finds the first call.
 */
const keyRetentionMs = acceptanceLifetimeMs + 3_600_000

/** Returns an idempotency key that no HTTP client can send, because HTTP removes the leading space of a header. */
const makeIdempotencyKey = (id: string): string => ` proposal ${id}`

/** Returns a proposal that the principal may see, accept and dismiss. */
export const findProposal = Effect.fnUntraced(function*(
  { conversations, proposals }: Pick<ProposalServices, "conversations" | "proposals">,
  { actor, ...principal }: Principal,
  id: string
): Effect.fn.Return<Proposal, ProposalError> {
  // A task cannot read a proposal, so it accepts none.
  if (actor._tag === "Task") return yield* new ScopeRequired({ required_scope: "write:personal" })
  yield* requireScopes(principal.scopes, ["agent:chat", "write:personal"])
  const proposal = yield* proposals.find(principal.account, id)
  if (proposal === null) return yield* new ProposalNotFound({ proposal: id })
  const conversation = yield* conversations.find(principal.account, proposal.conversation)
  if (conversation === null) return yield* new ProposalNotFound({ proposal: id })
  yield* requireReadable({ actor, ...principal }, conversation.scopes)
  return proposal
})

const makeReport = ({ id, lang, summary }: Proposal): NewChatMessage => ({
  role: "assistant",
  content: formatMessage({ key: "proposal_done", params: { summary } }, lang),
  lang,
  images: [],
  charts: [],
  tools: [],
  suggestions: [],
  outcome: null,
  proposal: id
})

/** Returns the result of an acceptance that has already ended. */
const replayAcceptance = (proposal: Proposal): Effect.Effect<Acceptance, ProposalClosed | ProposalOutdated> => {
  const { id, result, state } = proposal
  if (state === "failed" && result?.error?.code === "outdated") {
    return Effect.fail(new ProposalOutdated({ proposal: id }))
  }
  return state === "accepted" || (state === "failed" && result !== null)
    ? Effect.succeed({ proposal, failure: null })
    : Effect.fail(new ProposalClosed({ proposal: id, state }))
}

type Claimed = Extract<ProposalClaim, { readonly _tag: "Claimed" }>

const endClaimed = Effect.fnUntraced(function*(
  { proposals }: ProposalServices,
  { proposal: { account, id } }: Claimed,
  end: ProposalEnd
): Effect.fn.Return<Acceptance, ProposalNotFound | ProposalClosed | ProposalOutdated | StoreUnavailable> {
  const ended = yield* proposals.end(account, id, end)
  return ended === null ? yield* new ProposalNotFound({ proposal: id }) : yield* replayAcceptance(ended)
})

/**
 * Ends a proposal whose call failed permanently. An earlier claim may have written, even if a later call fails before
 * it finds that write, so the proposal then stays `accepting`. A changed record is different: a call finds its own
 * write before it compares the record.
 */
const endFailed = (
  services: ProposalServices,
  claimed: Claimed,
  error: { readonly code: string; readonly message: string }
): ReturnType<typeof endClaimed> =>
  claimed.isFirst || error.code === "outdated"
    ? endClaimed(services, claimed, { state: "failed", envelope: null, error, report: null })
    : Effect.succeed({ proposal: claimed.proposal, failure: error })

const handleOutcome = (services: ProposalServices, claimed: Claimed, { envelope, failure }: CallOutcome) => {
  const { proposal } = claimed
  if (failure === null) {
    // The envelope of a successful call is JSON.
    const result = { envelope: envelope as unknown as Schema.Json, error: null }
    return endClaimed(services, claimed, { state: "accepted", ...result, report: makeReport(proposal) })
  }
  // The call may have written before it failed, so the proposal stays `accepting`, and can be accepted again.
  if (failure.retryable) return Effect.succeed({ proposal, failure })
  return endFailed(services, claimed, { code: failure.code, message: failure.message })
}

const handleRejection = (
  services: ProposalServices,
  claimed: Claimed,
  rejection: CallRejection
): Effect.Effect<Acceptance, AcceptProposalError> => {
  const { attempt, isFirst, proposal: { account, id } } = claimed
  switch (rejection._tag) {
    case "OverLimit":
    case "KeyOverLimit":
    case "ScopeRequired":
      // Another process may still run the call of an earlier claim, so only the first claim makes the proposal open.
      return Effect.andThen(
        isFirst ? services.proposals.reopen(account, id, attempt) : Effect.void,
        Effect.fail(rejection)
      )
    case "RequestInProgress":
    case "StoreUnavailable":
    case "ChargeInDoubt":
      return Effect.fail(rejection)
    default:
      return endFailed(services, claimed, { code: "rejected", message: rejection.message })
  }
}

/**
 * Carries out a proposal, with the accepter's principal and at the price of the tool. A repeated acceptance returns the
 * result of the first acceptance, or completes the first acceptance after a crash.
 */
export const acceptProposal = Effect.fnUntraced(function*(
  services: ProposalServices,
  principal: Principal,
  id: string
): Effect.fn.Return<Acceptance, AcceptProposalError> {
  yield* findProposal(services, principal, id)
  if (!(yield* services.isScopeHeld(principal, "write:personal"))) {
    return yield* new ScopeRequired({ required_scope: "write:personal" })
  }
  const claim = yield* services.proposals.claim(principal.account, id)
  if (claim === null) return yield* new ProposalNotFound({ proposal: id })
  if (claim._tag === "Closed") return yield* replayAcceptance(claim.proposal)
  const { proposal: { arguments: args, conversation, lang, tool, version } } = claim
  return yield* Effect.matchEffect(
    services.caller.call({
      principal,
      language: lang,
      name: tool,
      arguments: args,
      idempotencyKey: makeIdempotencyKey(id),
      proposal: { conversation, recordVersion: version, retentionMs: keyRetentionMs }
    }),
    {
      onFailure: (rejection) => handleRejection(services, claim, rejection),
      onSuccess: (outcome) => handleOutcome(services, claim, outcome)
    }
  )
})

export const dismissProposal = Effect.fnUntraced(function*(
  services: Pick<ProposalServices, "conversations" | "proposals">,
  principal: Principal,
  id: string
): Effect.fn.Return<Proposal, ProposalError | ProposalClosed> {
  yield* findProposal(services, principal, id)
  const proposal = yield* services.proposals.dismiss(principal.account, id)
  if (proposal === null) return yield* new ProposalNotFound({ proposal: id })
  return proposal.state === "dismissed" ? proposal : yield* new ProposalClosed({ proposal: id, state: proposal.state })
})
