import type { Question } from "../question.ts"

type Call = Question["requiredCalls"][number]

/** Makes a question that is judged by its calls. */
export const heldOutQuestion = (
  intent: string,
  requiredCalls: ReadonlyArray<Call>,
  en: string,
  ko: string,
  ru: string,
  more: Partial<Question> = {}
): Question => ({
  id: `held-out-${intent}`,
  intent,
  messages: { en: [en], ko: [ko], ru: [ru] },
  requiredCalls,
  quotedValues: [],
  ...more
})
