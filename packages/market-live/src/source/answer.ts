import type { Answer } from "./request.ts"

/** The same answer with something that follows from its value. */
export const answering = <B>(answer: Answer<unknown>, value: B): Answer<B> => ({ ...answer, value })

/** The earlier of both clocks, so that nothing is called over while it runs, whichever of them is wrong. */
export const presentOf = ({ date, receivedAt }: Answer<unknown>): number => Math.min(date ?? receivedAt, receivedAt)
