import {
  acceptanceLifetimeMs,
  decideClaim,
  decideDismissal,
  decideEnd,
  decideReopening,
  type Proposal,
  type ProposalDecision,
  type ProposalRow,
  type ProposalState,
  ProposalStore
} from "@tapeline/core/agent"
import { Clock, Effect, Layer } from "effect"
import { addMessage, type AgentTables, cloneAsJson, findConversation, type StoredProposal } from "./agentTables.ts"
import { MemoryState } from "./MemoryState.ts"

/** Returns the state of a proposal at a time. */
const stateAt = ({ messages }: AgentTables, row: StoredProposal, now: number): ProposalState => {
  const { proposal: { expiresAt, message, state }, acceptedAt } = row
  if (state === "open" && expiresAt <= now) return "expired"
  if (state === "open" && messages.get(message)?.replaced !== false) return "superseded"
  return state === "accepting" && acceptedAt !== null && acceptedAt + acceptanceLifetimeMs <= now ? "failed" : state
}

const toProposal = (tables: AgentTables, row: StoredProposal, now: number): Proposal =>
  cloneAsJson({ ...row.proposal, state: stateAt(tables, row, now) })

const findRow = (tables: AgentTables, account: number, id: string): StoredProposal | null => {
  const row = tables.proposals.get(id)
  return row?.proposal.account === account ? row : null
}

const byGenerationAndCall = (a: Proposal, b: Proposal): number => a.id.localeCompare(b.id, "en", { numeric: true })

/** Applies a decision to a proposal in one synchronous step. */
const change = <A>(
  tables: AgentTables,
  account: number,
  id: string,
  now: number,
  decide: (row: ProposalRow) => ProposalDecision<A>
): { readonly result: A; readonly report: number | null } | null => {
  const row = findRow(tables, account, id)
  if (row === null) return null
  const conversation = findConversation(tables, account, row.proposal.conversation)
  if (conversation === null) return null
  const { result, update } = decide({
    proposal: toProposal(tables, row, now),
    attempt: row.attempt,
    isAccepting: row.proposal.state === "accepting"
  })
  if (update === null) return { result, report: row.proposal.report }
  const report = update.report === null
    ? row.proposal.report
    : addMessage(tables, conversation, update.report, now, `proposal ${id}`).id
  row.proposal = { ...row.proposal, state: update.state, result: cloneAsJson(update.result), report }
  row.attempt = update.attempt
  row.acceptedAt = update.state === "open" ? null : row.acceptedAt ?? now
  return { result, report }
}

/** Provides `ProposalStore` over `MemoryState`, with one clock for all callers, like a database. */
export const MemoryProposalStore: Layer.Layer<ProposalStore, never, MemoryState> = Layer.effect(
  ProposalStore,
  Effect.gen(function*() {
    const [{ agent: tables }, clock] = yield* Effect.all([MemoryState, Clock.Clock])
    const now = () => clock.currentTimeMillisUnsafe()
    const apply = <A>(account: number, id: string, decide: (row: ProposalRow) => ProposalDecision<A>) =>
      Effect.sync(() => change(tables, account, id, now(), decide))
    return ProposalStore.of({
      find: (account, id) =>
        Effect.sync(() => {
          const row = findRow(tables, account, id)
          return row === null ? null : toProposal(tables, row, now())
        }),
      list: (account, conversation, messages) =>
        Effect.sync(() =>
          [...tables.proposals.values()].filter(({ proposal }) =>
            proposal.account === account && proposal.conversation === conversation &&
            messages.includes(proposal.message)
          ).map((row) => toProposal(tables, row, now())).sort(byGenerationAndCall)
        ),
      claim: (account, id) => Effect.map(apply(account, id, decideClaim), (changed) => changed?.result ?? null),
      reopen: (account, id, attempt) =>
        Effect.map(apply(account, id, decideReopening(attempt)), (changed) => changed?.result ?? false),
      end: (account, id, end) =>
        Effect.map(
          apply(account, id, decideEnd(end)),
          (changed) => changed === null ? null : cloneAsJson({ ...changed.result, report: changed.report })
        ),
      dismiss: (account, id) => Effect.map(apply(account, id, decideDismissal), (changed) => changed?.result ?? null)
    })
  })
)
