import { coinsOf } from "./coinNames.ts"
import { rule } from "./rule.ts"
import { isStockTicker } from "./stockNames.ts"

const ofPositions = rule("positions?|longs?|shorts?", "포지션|롱|숏", "позици|лонг|шорт")

/** Matches Korean requests in the casual imperative, which otherwise end in `줘`. */
const casual =
  /(옮겨|바꿔|변경해|수정해|지워|삭제해|취소해|닫아|정리해|청산해|올려|내려|낮춰|높여|기록해|등록해|추가해|저장해)(?=[.!~ ]*$)/u

/** Matches Korean requests that end in a bare noun: "손절 119 기록". */
const noun = /(?<=\d\S* )(기록|등록|저장|추가)(?=[.!~ ]*$)/u

/** Korean requests whose number follows the verb: "닫아줘 6만8천에". */
const koreanOrder = /^(.*?)((?:닫아|정리해|청산해|옮겨|바꿔)줘?) (\d[^ ]*(?:에|으로|로))[.!~ ]*$/u

/** Replacements of the words that refer to the position of the conversation by the name of its coin. */
const references: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^((?:ok |now |and |please )*(?:delete|remove|close|exit)) (?:it|that|this)(?: (?:one|position))?(?![a-z])/iu,
    "$1 my ■ position"
  ],
  [
    /^((?:ok |now |and |please )*(?:move|change|set|raise|lower|update)) (?:the |my |its )?(stop(?:[ -]?loss)?|target|leverage) /iu,
    "$1 the $2 of my ■ position "
  ],
  [/^(?:그거|이거|그건|그 포지션) ?/u, "■ 포지션 "],
  [/^(손절가?|목표가?|레버리지)(?:는|를|을)? /u, "■ 포지션 $1 "],
  [/^((?:удали|закрой|убери)(?:те)?) (?:ее|её|его|это|эту позицию)(?![а-я])/iu, "$1 позицию ■"],
  [/^((?:перенеси|подвинь|передвинь|поменяй|измени|поставь)(?:те)?) (стоп|цель|тейк|плечо) /iu, "$1 $2 позиции ■ "]
]

/** Returns the coin of the last earlier question about a position, or null. */
const positionCoin = (earlier: ReadonlyArray<string>): string | null => {
  const question = earlier.findLast((one) => coinsOf(one, isStockTicker).coins.length > 0)
  const isPosition = earlier.slice(-2).some((one) => ofPositions.test(one.toLowerCase()))
  return question === undefined || !isPosition ? null : coinsOf(question, isStockTicker).coins[0] ?? null
}

/**
 * Returns the words of a write request in the form that the parser of write requests reads: a Korean imperative with
 * its ending, and the position of the conversation by the name of its coin instead of a pronoun.
 */
export const requestText = (question: string, earlier: ReadonlyArray<string>): string => {
  const ordered = question.replace(koreanOrder, "$1$3 $2").replace(casual, "$1줘").replace(noun, "$1해줘")
  const coin = coinsOf(question, isStockTicker).coins.length > 0 ? null : positionCoin(earlier)
  const reference = coin === null ? undefined : references.find(([pattern]) => pattern.test(ordered))
  return coin === null || reference === undefined
    ? ordered
    : ordered.replace(reference[0], reference[1].replaceAll("■", coin))
}
