import type { Schema } from "effect"
import { foreignSizes } from "./fields.ts"
import { folded, masked, readable, typed, unquoted } from "./readable.ts"
import { requestsIn, sentences, type UnreadWrite, type WriteRequest } from "./requests.ts"
import { unusedIn } from "./unused.ts"

/** Longer messages than this are pasted. */
const longest = 4_000

/** Returns the writes that a message requests. */
export const writeRequestsIn = (message: string): ReadonlyArray<WriteRequest> => {
  const text = message.length > longest ? null : readable(message)
  return text === null ? [] : requestsIn(text).requests
}

/** Returns the writes that a message requests in words from which no call can be made. */
export const unreadIn = (message: string): ReadonlyArray<UnreadWrite> => {
  const text = message.length > longest ? null : readable(message)
  return text === null ? [] : requestsIn(text).unread
}

/** Returns the requested writes that other words of the message leave in doubt. */
export const doubtfulIn = (message: string): ReadonlyArray<UnreadWrite> => {
  const text = message.length > longest ? null : readable(message)
  return text === null ? [] : requestsIn(text).doubtful
}

/** All that a request states, as it is written. */
const statedIn = ({ beside, content, text, tool }: WriteRequest): string =>
  [text.replaceAll(masked, " "), ...(tool === "add_journal_note" ? [content] : []), beside].join("\n")

/**
 * The numbers and instruments of the user's own words that the arguments of `calls` do not hold. Questions beside a
 * request, quotations and pasted text are not looked at. `converted` are numbers from which the caller has calculated
 * arguments.
 */
export const unusedWords = (
  message: string,
  calls: ReadonlyArray<Schema.Json>,
  converted: ReadonlyArray<number> = []
): ReadonlyArray<string> => {
  const text = message.length > longest ? null : readable(message)
  if (text === null) return []
  const { requests } = requestsIn(text)
  const stated = requests.length > 0
    ? requests.map(statedIn)
    : sentences(unquoted(folded(typed(text)))).filter((sentence) => !sentence.endsWith("?"))
  const foreign = requests.flatMap((request) => foreignSizes(request, converted))
  return [...new Set([...foreign, ...unusedIn(stated.join("\n"), [...calls, ...converted])])]
}
