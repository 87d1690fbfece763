import type { Question } from "../question.ts"

type Call = Question["calls"][number]

/** A question that is judged by its calls. */
export const heldOutQuestion = (
  intent: string,
  calls: ReadonlyArray<Call>,
  en: string,
  ko: string,
  ru: string,
  more: Partial<Question> = {}
): Question => ({
  id: `held-out-${intent}`,
  intent,
  ask: { en: [en], ko: [ko], ru: [ru] },
  calls,
  quotes: [],
  ...more
})
