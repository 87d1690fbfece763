import type { Question } from "../../question.ts"

type Turns = string | readonly [...ReadonlyArray<string>, string]

const toTurns = (messages: Turns): readonly [...ReadonlyArray<string>, string] =>
  typeof messages === "string" ? [messages] : messages

interface UnseenQuestionOptions extends Partial<Omit<Question, "messages" | "id" | "intent">> {
  readonly en: Turns
  readonly ko: Turns
  readonly ru: Turns
}

/** Makes a question with the user's original wording. A list of turns is a conversation. */
export const unseenQuestion = (
  id: string,
  intent: string,
  { en, ko, ru, ...more }: UnseenQuestionOptions
): Question => ({
  id: `unseen-${id}`,
  intent,
  messages: { en: toTurns(en), ko: toTurns(ko), ru: toTurns(ru) },
  requiredCalls: [],
  quotedValues: [],
  ...more
})
