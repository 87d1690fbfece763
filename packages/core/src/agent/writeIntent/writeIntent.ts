import type { AllowedWrite, WriteIntent, WriteProposal } from "../writes.ts"
import { acceptedIn } from "./acceptance.ts"
import { type Intent, permits } from "./permits.ts"
import { folded, readable } from "./readable.ts"
import { requestsIn, type UnreadWrite } from "./requests.ts"

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

/** What an intent allows, call by call. */
const allowedBy = ({ accepted, requests }: Intent): ReadonlyArray<AllowedWrite> =>
  [
    ...accepted.map((proposal) => ({ tool: proposal.tool, times: 1, intent: { requests: [], accepted: [proposal] } })),
    ...requests.map((request) => ({
      tool: request.tool,
      times: request.times,
      intent: { requests: [request], accepted: [] }
    }))
  ].map(({ intent, times, tool }) => ({
    tool,
    times,
    objection: (args, records) => {
      const permission = permits(intent, tool, args, records)
      return permission.permitted ? null : permission
    }
  }))

/**
 * What the user's own message allows to be written, and nothing else: what it asks for in so many words, and what it
 * accepts of what the answer before had proposed. When in doubt, nothing.
 */
export const writeIntent: WriteIntent = (message, proposals) => allowedBy(intentOf(message, proposals))
