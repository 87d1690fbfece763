import type { Language } from "@tapeline/core/specifications"
import type { FakeRequest, FakeScript } from "@tapeline/testing/fakeModel"

interface Held {
  readonly asked: string
  readonly begins: string
  readonly ends: string
}

/** Questions whose answers pause in the middle until the test gives the cue of their language. */
export const held: Readonly<Record<Language, Held>> = {
  en: { asked: "Say it slowly", begins: "The first half.", ends: "The second half." },
  ko: { asked: "천천히 말해 주세요", begins: "앞부분입니다.", ends: "뒷부분입니다." },
  ru: { asked: "Скажи медленно", begins: "Первая половина.", ends: "Вторая половина." }
}

/** The answer to all other questions: equal in all languages, with the elements that an answer can contain. */
const plain = "BTC: 91 000\n\n- [x] 57 000\n- [ ] 99 000\n\n| BTC | % |\n|---|---|\n| 91 000 | 1.2 |"

const asked = ({ body }: FakeRequest): string => JSON.stringify(body)

/** The model of the analyst. It gives the same answer to each question but the held ones. */
export const script: FakeScript = (request) => {
  const found = Object.entries(held).find(([, { asked: question }]) => asked(request).includes(question))
  if (found === undefined) return { acts: [{ text: plain }] }
  const [cue, { begins, ends }] = found
  return { acts: [{ text: begins }, { awaitCue: cue }, { text: ` ${ends}` }] }
}
