import type { Question } from "../../question.ts"

type Turns = string | readonly [...ReadonlyArray<string>, string]

const turns = (asked: Turns): readonly [...ReadonlyArray<string>, string] => typeof asked === "string" ? [asked] : asked

interface Wanted extends Partial<Omit<Question, "ask" | "id" | "intent">> {
  readonly en: Turns
  readonly ko: Turns
  readonly ru: Turns
}

/** A question as typed. A list of turns is a conversation. */
export const unseenQuestion = (id: string, intent: string, { en, ko, ru, ...more }: Wanted): Question => ({
  id: `unseen-${id}`,
  intent,
  ask: { en: turns(en), ko: turns(ko), ru: turns(ru) },
  calls: [],
  quotes: [],
  ...more
})
