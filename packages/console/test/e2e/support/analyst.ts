import type { Language } from "@tapeline/core/specifications"
import type { FakeReply, FakeRequest, FakeScript } from "@tapeline/testing/fakeModel"

interface SlowAnswer {
  readonly question: string
  readonly firstHalf: string
  readonly secondHalf: string
}

/**
 * Questions, one for each language, whose answer pauses after the first half until the test gives the cue of the
 * language.
 */
export const slowAnswers: Readonly<Record<Language, SlowAnswer>> = {
  en: { question: "Say it slowly", firstHalf: "The first half.", secondHalf: "The second half." },
  ko: { question: "천천히 말해 주세요", firstHalf: "앞부분입니다.", secondHalf: "뒷부분입니다." },
  ru: { question: "Скажи медленно", firstHalf: "Первая половина.", secondHalf: "Вторая половина." }
}

/**
 * The default answer contains the Markdown elements that answers use. The answer contains the Markdown elements that
 * answers use.
 */
const defaultAnswer = "BTC: 91 000\n\n- [x] 57 000\n- [ ] 99 000\n\n| BTC | % |\n|---|---|\n| 91 000 | 1.2 |"

/** A question whose answer states the result of a call, and a number without a source. */
export const figureQuestion = "Which figures are right?"
export const inventedNumber = "$123,456.78"

const answerWithFigures = ({ body }: FakeRequest): FakeReply => {
  const messages = body?.["messages"]
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined
  const price = /"price":([\d.]+)/.exec(JSON.stringify(last).replaceAll("\\", ""))?.[1]
  return price === undefined
    ? { acts: [{ call: "get_price", arguments: { coin: "BTC" } }] }
    : { acts: [{ text: `BTC is at **$${price}**.\n\nIt will reach ${inventedNumber}.` }] }
}

const requestText = ({ body }: FakeRequest): string => JSON.stringify(body)

export const modelScript: FakeScript = (request) => {
  const slowAnswer = Object.entries(slowAnswers).find(([, { question }]) => requestText(request).includes(question))
  if (request.body?.["tools"] !== undefined && requestText(request).includes(figureQuestion)) {
    return answerWithFigures(request)
  }
  if (slowAnswer === undefined) return { acts: [{ text: defaultAnswer }] }
  const [cue, { firstHalf, secondHalf }] = slowAnswer
  return { acts: [{ text: firstHalf }, { awaitCue: cue }, { text: ` ${secondHalf}` }] }
}
