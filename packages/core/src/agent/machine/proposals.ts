import type { Schema } from "effect"
import { say } from "../../messages/language.ts"
import type { Language } from "../../messages/languageCode.ts"
import type { ToolNote } from "../conversation.ts"
import { sameArguments } from "../writeIntent/permits.ts"
import { readable } from "../writeIntent/readable.ts"
import type { WriteProposal } from "../writes.ts"
import type { DoneStep } from "./steps.ts"

/** More than this nobody reads before saying yes. */
const longestProposal = 600
const mostProposals = 3

/** Whether two calls would do the same. */
export const isSame = (a: WriteProposal, b: WriteProposal): boolean =>
  a.tool === b.tool && sameArguments(a.arguments, b.arguments)

/** A call as its reader is shown it: every argument as it would be made, on one line of code. */
const written = ({ arguments: args, tool }: WriteProposal): string => `${tool} ${JSON.stringify(args)}`

/** Whether a reader sees all of it: nothing invisible or turned around, nothing that ends the code it stands in. */
const isPlain = (proposal: WriteProposal): boolean => {
  const text = written(proposal)
  return text.length <= longestProposal && !text.includes("`") && readable(text) === text
}

/**
 * The writes that steps asked for, that were refused because the user had not asked for them, and that the reader is
 * shown, so that a yes can accept them. A tool that wrote all the same, in this answer or in the one that it replaces,
 * proposes nothing more. Too many are none: nobody accepts what is not read.
 */
export const proposalsOf = (
  done: ReadonlyArray<DoneStep>,
  carried: ReadonlyArray<ToolNote>
): ReadonlyArray<WriteProposal> => {
  const results = done.flatMap((step) => step.calls.flatMap(({ callId }) => step.results.get(callId) ?? []))
  const wrote = new Set([
    ...carried.map(({ name }) => name),
    ...results.flatMap(({ name, wrote }) => wrote === true ? [name] : [])
  ])
  const proposals: Array<WriteProposal> = []
  for (const { name, proposed } of results) {
    if (proposed === undefined || wrote.has(name)) continue
    const proposal = { tool: name, arguments: proposed satisfies Schema.Json }
    if (isPlain(proposal) && !proposals.some((one) => isSame(one, proposal))) proposals.push(proposal)
  }
  return proposals.length > mostProposals ? [] : proposals
}

/** What an answer says of its proposals at its end; "" of none. */
export const proposalText = (proposals: ReadonlyArray<WriteProposal>, lang: Language): string => {
  if (proposals.length === 0) return ""
  const list = proposals.map((proposal, i) => `${i + 1}. \`${written(proposal)}\``).join("\n")
  const key = proposals.length === 1 ? "answer_proposal" : "answer_proposals"
  return `\n\n${say({ key, params: { list } }, lang)}`
}
