import { namesPattern } from "./besideNames.ts"
import { coinsOf } from "./coinNames.ts"
import { plain } from "./rule.ts"
import { isStockTicker } from "./stockNames.ts"
import { isUnknown, piecesIn } from "./unknownNames.ts"

/** Matches Korean requests in the casual imperative, which otherwise end in `줘`. */
const casual =
  /(옮겨|바꿔|변경해|수정해|지워|삭제해|취소해|닫아|정리해|청산해|올려|내려|낮춰|높여|기록해|등록해|추가해|저장해)(?=[.!~ ]*$)/u

/** Matches Korean requests that end in a bare noun: "손절 119 기록". */
const noun = /(?<=(?:\d\S*|관심|워치|알림).* )(기록|등록|저장|추가|삭제|제거)(?=[.!~ ]*$)/u

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
  [/^((?:close|exit)(?: (?:half|all|\d+ ?%)(?: of)?)?)(?= (?:at|@)|$)/iu, "$1 my ■ position"],
  [/^((?:закрой|закрыть)(?:те)?(?: (?:половину|все|всё|\d+ ?%))?)(?= по|$)/iu, "$1 позиции ■"],
  [/^(?:그거|이거|그건|그 포지션) ?/u, "■ 포지션 "],
  [/^(손절가?|목표가?|레버리지)(?:는|를|을)? /u, "■ 포지션 $1 "],
  [/^((?:удали|закрой|убери)(?:те)?) (?:ее|её|его|это|эту позицию)(?![а-я])/iu, "$1 позицию ■"],
  [/^((?:перенеси|подвинь|передвинь|поменяй|измени|поставь)(?:те)?) (стоп|цель|тейк|плечо) /iu, "$1 $2 позиции ■ "]
]

/** Matches English and Russian requests at the end of a message: "bought 2 eth at 3050, log it". */
const atEnd =
  /^(.+?)[,.;]? +(?:and |please |pls )*(?:log|record|save|journal|add) (?:it|this|that)(?: please| pls)?[.! ]*$/iu

/** Matches Korean requests whose numbers follow: "기록해줘 손절 65800". */
const inMiddle = /^(.+?) ?((?:기록|등록|저장)해 ?줘)[,.]? (.*\d.*)$/u

/** Matches casual Korean words for an entry: "3100에 들어감". */
const koreanEntry = / (?:들어(?:감|갔[가-힣]*)|잡(?:음|았[가-힣]*)|탔[가-힣]*|탐|샀[가-힣]*)(?= |$)/gu

/** Matches requests to follow coins without a condition: "watch LINK and AVAX for me". */
const watching = /^(?:please |can you |pls )*(?:watch|track|follow|keep an eye on) /iu

/** Matches Korean and Russian requests to add coins to the watch list. */
const listing =
  /^(?:관심 ?(?:종목|목록|코인)|워치 ?리스트).*(?:추가|넣어|담아)|^добав[а-я]* .*(?:вотч-?лист|избранн|список наблюд)/iu
const listingWords =
  /관심 ?(?:종목|목록|코인)|워치 ?리스트|추가|넣어|담아|добав[а-я]*|вотч-?лист[а-я]*|избранн[а-я]*|спис[а-я]+ наблюд[а-я]*/giu

const isOnlyNames = (question: string): boolean =>
  piecesIn(plain(question).replaceAll(namesPattern, " ").replaceAll(listingWords, " ")).every((piece) =>
    !isUnknown(piece)
  )

const noteToSelf = /^(?:note to self|memo to self|заметка себе)[:,]? /iu

/** Matches messages that only ask to record the position of the conversation. */
export const recordsIt =
  /^(?:ok |yes |please |and |now )*(?:log|record|save|journal|add) (?:it|this|that)[.! ]*$|^(?:그거 |이거 )?(?:기록|등록|저장)(?:해 ?줘?|해주세요)?[.! ]*$|^(?:запиши|сохрани)(?: (?:ее|её|его|это))?[.! ]*$/u

/**
 * Returns the words of a write request in the form that the parser of write requests reads: the request first or, in
 * Korean, last, and the position of the conversation by the name of its coin instead of a pronoun.
 */
export const requestText = (question: string, positionCoin: string | null): string => {
  const entered = /[가-힣]/u.test(question) ? question.replace(koreanEntry, " 진입") : question
  const ordered = entered.replace(koreanOrder, "$1$3 $2").replace(casual, "$1줘").replace(noun, "$1해줘")
    .replace(inMiddle, "$1 $3 $2").replace(atEnd, "record $1")
  const { coins } = coinsOf(question, isStockTicker)
  const noted = noteToSelf.exec(question)
  if (noted !== null) return `add a note: ${question.slice(noted[0].length)}`
  if (coins.length > 0 && watching.test(question) && !/\d|(?<![a-z])(?:when|if)(?![a-z])/iu.test(question)) {
    return `add ${coins.join(", ")} to my watchlist`
  }
  // The parser of write requests knows fewer names of coins.
  if (coins.length > 0 && listing.test(question) && isOnlyNames(question)) {
    return `add ${coins.join(", ")} to my watchlist`
  }
  const coin = coins.length > 0 ? null : positionCoin
  const reference = coin === null ? undefined : references.find(([pattern]) => pattern.test(ordered))
  return coin === null || reference === undefined
    ? ordered
    : ordered.replace(reference[0], reference[1].replaceAll("■", coin))
}
