import type { Schema } from "effect"
import type { AllowedWrite, WriteIntent, WriteProposal } from "../writeProposal.ts"
import { acceptedIn } from "./acceptance.ts"
import { foreignSizes } from "./fields.ts"
import { type Intent, permits, statedIn } from "./permits.ts"
import { folded, readable, typed, unquoted } from "./readable.ts"
import { requestsIn, sentences, type UnreadWrite } from "./requests.ts"
import { unusedIn } from "./unused.ts"

/** Longer messages than this are pasted. */
const longest = 4_000

/** What a message asks to have written, and which of the proposals that its writer was shown it accepts. */
export const intentOf = (message: string, proposals: ReadonlyArray<WriteProposal>): Intent => {
  const text = message.length > longest ? null : readable(message)
  if (text === null) return { requests: [], accepted: [] }
  return { requests: requestsIn(text).requests, accepted: acceptedIn(folded(text), proposals) }
}

/** What a message asks to have written in words of which no request can be made: who asks for it is to be told so. */
export const unreadIn = (message: string): ReadonlyArray<UnreadWrite> => {
  const text = message.length > longest ? null : readable(message)
  return text === null ? [] : requestsIn(text).unread
}

/** What a message asks to have written, and other words of it leave in doubt. */
export const doubtfulIn = (message: string): ReadonlyArray<UnreadWrite> => {
  const text = message.length > longest ? null : readable(message)
  return text === null ? [] : requestsIn(text).doubtful
}

/**
 * The numbers and instruments of the user's own words that the arguments of `calls` do not hold. Questions beside a
 * request, quotations and pasted text are not looked at.
 */
export const unusedWords = (message: string, calls: ReadonlyArray<Schema.Json>): ReadonlyArray<string> => {
  const text = message.length > longest ? null : readable(message)
  if (text === null) return []
  const { requests } = requestsIn(text)
  const stated = requests.length > 0
    ? requests.map(statedIn)
    : sentences(unquoted(folded(typed(text)))).filter((sentence) => !sentence.endsWith("?"))
  return [...new Set([...requests.flatMap(foreignSizes), ...unusedIn(stated.join("\n"), calls)])]
}

/** What an intent allows, call by call. */
const allowedBy = ({ accepted, requests }: Intent): ReadonlyArray<AllowedWrite> =>
  [
    ...accepted.map((proposal) => ({
      tool: proposal.tool,
      maxCalls: 1,
      intent: { requests: [], accepted: [proposal] }
    })),
    ...requests.map((request) => ({
      tool: request.tool,
      maxCalls: request.times,
      intent: { requests: [request], accepted: [] }
    }))
  ].map(({ intent, maxCalls: times, tool }) => ({
    tool,
    maxCalls: times,
    findObjection: (args, records) => {
      const permission = permits(intent, tool, args, records)
      return permission.permitted ? null : permission
    }
  }))

/**
 * What the user's own message allows to be written, and nothing else: what it asks for in so many words, and what it
 * accepts of what the answer before had proposed. When in doubt, nothing.
 */
export const writeIntent: WriteIntent = (message, proposals) => allowedBy(intentOf(message, proposals))
