import type { Question } from "../question.ts"

/** Questions that the offline analyst's rules were not written for. */
export const heldOut: ReadonlyArray<Question> = []
