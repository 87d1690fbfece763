import type { Answer } from "./request.ts"

/** Returns the same answer with another value, which is derived from its value. */
export const answering = <B>(answer: Answer<unknown>, value: B): Answer<B> => ({ ...answer, value })

/** The earlier of the source's clock and ours, so that a running period never counts as over if one clock is wrong. */
export const presentOf = ({ date, receivedAt }: Answer<unknown>): number => Math.min(date ?? receivedAt, receivedAt)
