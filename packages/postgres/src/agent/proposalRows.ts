import { acceptanceLifetimeMs, formatProposalId, type NewProposal, type Proposal } from "@tapeline/core/agent"
import { nowMsSql } from "../rowLocks.ts"

/** SQL for the state of a proposal `p` at the time of the database. */
const stateSql = `case
    when p.state = 'open' and p.expires_at <= ${nowMsSql} then 'expired'
    when p.state = 'open' and not exists (
      select from messages m where m.account = p.account and m.conversation = p.conversation and m.id = p.message
        and not m.replaced
    ) then 'superseded'
    when p.state = 'accepting' and p.accepted_at <= ${nowMsSql} - ${acceptanceLifetimeMs} then 'failed'
    else p.state
  end`

export const proposalColumns = [
  ...["account", "generation", "conversation", "message", "created_at", "expires_at", "report"].map((name) =>
    `p.${name}::float8 as ${name}`
  ),
  ...["call", "attempt", "body", "result"].map((name) => `p.${name}`),
  `${stateSql} as state`,
  "p.state = 'accepting' as accepting"
].join(", ")

export interface ProposalTableRow {
  readonly account: number
  readonly generation: number
  readonly call: string
  readonly conversation: number
  readonly message: number
  readonly state: Proposal["state"]
  readonly created_at: number
  readonly expires_at: number
  readonly report: number | null
  readonly attempt: number
  readonly accepting: boolean
  readonly body: string
  readonly result: string | null
}

type Body = Omit<NewProposal, "call">

export const encodeProposal = ({ call: _, ...body }: NewProposal): string => JSON.stringify(body satisfies Body)

export const toProposal = (row: ProposalTableRow): Proposal => {
  const { account, call, conversation, generation, message, report, result, state } = row
  const body: Body = JSON.parse(row.body)
  return {
    ...body,
    id: formatProposalId({ generation, call }),
    call,
    account,
    conversation,
    message,
    state,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    result: result === null ? null : JSON.parse(result),
    report
  }
}
