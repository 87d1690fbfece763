/**
 * Detects opposite directions of news, such as rising and falling prices. An article about falling prices has most of
 * the words of a question about rising prices. Neither word matches nor vectors distinguish a rising price from a
 * falling price.
 */
import type { MentionSpan } from "../../market/instrumentMentions.ts"
import { foldText } from "./words.ts"

/**
 * Regular expression sources for the words of one direction. English and Russian patterns match beginnings of words;
 * Korean patterns match any part of a word.
 */
interface DirectionPatterns {
  readonly en: string
  readonly ko: string
  readonly ru: string
}

const preposition =
  "about|after|against|ahead|amid|as|at|before|below|by|despite|following|for|from|in|of|on|over|since|to|under|with"
const upToThreeWords = `(?:(?!(?:${preposition}) )[a-z0-9'’-]+ ){0,3}`

/** Matches "drops after the appeal", which reports a falling price, but not "drops its appeal". */
const priceDrop = `drop(?!(?:s|ped|ping)? ${upToThreeWords}` +
  "(?:appeal|case|charge|claim|complaint|investigation|lawsuit|plan|probe|suit)s?(?![a-z]))"

/** Matches "down 5%" and "down by about 5%", but not "down to 5%". */
const percentMove = (direction: "up" | "down"): string =>
  `${direction} (?:(?!to )[a-z]+ ){0,3}\\d+(?:[.,]\\d+)*\\s?(?:%|percent)`

const risingWords: DirectionPatterns = {
  en: "rise|rising|rose|gain|rall(?:y|ie)|climb|surg|jump|soar|rebound|recover|pump(?!\\.?fun|[- ]and[- ]dump)",
  ko: "상승|급등|폭등|올라|올랐|오른|오르|오름|반등",
  ru: "рост|раст[еу]|вырос|подорожа|взлет|отскок|отскоч"
}

const fallingWords: DirectionPatterns = {
  en:
    `${priceDrop}|fall(?!(?:s|en|ing)? short)|fell(?! short)|declin|slid|slump|plung|tumbl|crash|sink|sank|sell-?off|` +
    "(?<!pump[- ]and[- ])dump",
  ko: "하락|급락|폭락|떨어|내렸|내린|내림",
  ru: "паден|упал|пада[ею]|снижен|снизил|обвал|рухнул|просел|подешев"
}

const extendPatterns = (patterns: DirectionPatterns, more: DirectionPatterns): DirectionPatterns => ({
  en: `${patterns.en}|${more.en}`,
  ko: `${patterns.ko}|${more.ko}`,
  ru: `${patterns.ru}|${more.ru}`
})

const forecastNouns = "(?:forecast|estimate|expect|consensus)"
const expectationPhrase = `(?:\\w+ )?${forecastNouns}`
const expectationPhraseRu = "(?:[а-я]+ ){0,3}(?:прогноз|ожидан|оценк|консенсус)"
const reportedFigure = "(?:earnings|eps|payrolls|profits?|results|revenues?|sales)"

/**
 * Matches "misses estimates", "an earnings miss" and "missed on revenue", but not "did I miss the forecast". Forms of
 * `forecastVerb` match only before a word for a forecast. For a `verb`, an adjacent reported figure, such as earnings,
 * also suffices.
 */
const versusForecast = (verb: string, forecastVerb = verb): string =>
  `(?<!\\b(?:i|we|you) )(?:(?:${verb}|${forecastVerb}) ${upToThreeWords}${forecastNouns}|(?:${verb}) on ${reportedFigure}(?![a-z]))|` +
  `${reportedFigure} (?:${verb})(?![a-z])`

const oppositePairs: readonly [
  readonly [DirectionPatterns, DirectionPatterns],
  ...ReadonlyArray<readonly [DirectionPatterns, DirectionPatterns]>
] = [
  [
    extendPatterns(risingWords, {
      en: `record|all-time high|${percentMove("up")}`,
      ko: "강세|신고가|최고가",
      ru: "укрепи|рекорд|максимум"
    }),
    extendPatterns(fallingWords, {
      en:
        "slip|weak|los(?:e|es|ing|t)(?![a-z])|(?<!(?:buys?|buying|bought) the (?:[a-z]+ )?)dip(?:s|ped|ping)?(?![a-z])|(?<!(?:bears|sellers|shorts) )retreat|" +
        percentMove("down"),
      ko: "약세",
      ru: "слабе|ослаб"
    })
  ],
  [
    { en: "inflow", ko: "유입", ru: "приток|притек|вложил" },
    { en: "outflow|leaving|withdr", ko: "유출", ru: "отток|утек" }
  ],
  [
    { en: "hike|tighten|rais(?:e|es|ed|ing) (?:\\w+ )?rate", ko: "인상", ru: "повыс|повыш" },
    { en: "cut|eas(?:e|es|ed|ing)(?![a-z])", ko: "인하", ru: "снизил|снижен|сниз|смягч" }
  ],
  [
    {
      en: `${versusForecast("beat(?:s|ing)?", "exceed(?:s|ed|ing)?|tops|topped|topping")}|above ${expectationPhrase}|` +
        `(?:hotter|higher|better) than ${expectationPhrase}`,
      ko: "상회|웃돌|호실적|어닝\\s?서프라이즈|깜짝\\s?실적",
      ru: `(?:прев[зы][а-я]+|выше|лучше) ${expectationPhraseRu}`
    },
    {
      en: `${versusForecast("miss(?:es|ed|ing)?")}|(?:fall(?:s|en|ing)?|fell) short|below ${expectationPhrase}|` +
        `(?:cooler|softer|lower|weaker|worse) than ${expectationPhrase}`,
      ko: "하회|밑돌|부진|어닝\\s?쇼크",
      ru: `(?:не ?дотя[а-я]+ до|не оправда[а-я]+|ниже|хуже) ${expectationPhraseRu}`
    }
  ],
  [
    { en: "upgrad", ko: "상향", ru: "(?:повыс|повыш)[а-я]* (?:рекоменд|рейтинг)" },
    { en: "downgrad", ko: "하향", ru: "(?:пониз|пониж)[а-я]* (?:рекоменд|рейтинг)" }
  ],
  [
    { en: "buy|bought|purchas", ko: "매수", ru: "покуп|купил" },
    { en: "sell(?!-?off)|sold", ko: "매도", ru: "прода" }
  ],
  [
    { en: "list(?:s|ed|ing)?(?![a-z])", ko: "상장(?!\\s?폐지)", ru: "листинг" },
    { en: "delist", ko: "상장\\s?폐지|상폐|거래지원 종료", ru: "делистинг" }
  ],
  [
    { en: "approv", ko: "승인", ru: "одобр" },
    { en: "reject|denie|deny", ko: "거부|반려", ru: "отклон|отказ" }
  ]
]

const compilePattern = ({ en, ko, ru }: DirectionPatterns): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${en}|${ru})|${ko}`, "u")
const oppositePatterns = oppositePairs.map(([first, second]) =>
  [compilePattern(first), compilePattern(second)] as const
)

const fallPattern = compilePattern(oppositePairs[0][1])

/**
 * Returns one number for each pair of opposite directions. The number is 1 if the text contains only words of the first
 * direction, -1 for only the second, and 0 otherwise.
 */
const detectDirections = (text: string): ReadonlyArray<number> => {
  const foldedText = foldText(text)
  return oppositePatterns.map(([first, second]) => Number(first.test(foldedText)) - Number(second.test(foldedText)))
}

/**
 * Returns a function that tests whether an article states the opposite of a question. If the title states a direction,
 * the body is ignored.
 */
export const makeOppositeTest = (
  query: string
): (article: { readonly title: string; readonly body: string }) => boolean => {
  const queryDirections = detectDirections(query)
  if (queryDirections.every((side) => side === 0)) return () => false
  return ({ body, title }) => {
    const [inTitle, inBody] = [detectDirections(title), detectDirections(body)]
    return queryDirections.some((side, i) => side !== 0 && (inTitle[i] === 0 ? inBody[i] : inTitle[i]) === -side)
  }
}

/** Matches the words of a question about a rising or falling price. */
const queryMovePatterns = [compilePattern(risingWords), compilePattern(fallingWords)] as const
/**
 * Matches the words of an article about a rising price. The pattern lacks the word "record", because an article can
 * also report a record volume.
 */
const risePattern = compilePattern(
  extendPatterns(risingWords, {
    en: `all-time high|${percentMove("up")}`,
    ko: "강세|신고가|최고가",
    ru: "укрепи|максимум"
  })
)
const anyMovePattern = new RegExp(`(?:${risePattern.source})|(?:${fallPattern.source})`, "gu")

/** Matches the end of a clause. */
const clauseEnd = /[,;:—–…]|\.{3}/u
/** Matches the words between an English verb and its direct object, as in "drops the bitcoin plan". */
const beforeObject = /^[a-z]*\s+(?:the |its |their |his |her |a |an )?$/u

/**
 * Returns the tickers of the instruments to which one price move in a sentence applies. A price move concerns the
 * instruments that are named after the previous move. For example, in "bitcoin rose and ether fell", only ether fell.
 * If no instrument is named before a price move, the move concerns the instruments after it in the clause, as in "a
 * slump hit bitcoin". A direct object of an English verb does not count, as in "merchants drop bitcoin".
 */
const findMovedTickers = (
  foldedText: string,
  spans: ReadonlyArray<MentionSpan>,
  moves: ReadonlyArray<RegExpExecArray>,
  moveIndex: number
): ReadonlyArray<string> => {
  const move = moves[moveIndex]!
  const lastBefore = spans.findLast(({ at }) => at < move.index)
  if (lastBefore !== undefined) {
    const from = moves.findLast(({ index }) => index <= lastBefore.at)?.index ?? 0
    return spans.filter(({ at }) => at >= from && at <= lastBefore.at).map(({ ticker }) => ticker)
  }
  const rest = foldedText.slice(move.index)
  const clause = rest.search(clauseEnd)
  const end = Math.min(
    clause < 0 ? foldedText.length : move.index + clause,
    moves[moveIndex + 1]?.index ?? foldedText.length
  )
  const after = spans.filter(({ at }) => at > move.index && at < end)
  const [first] = after
  if (first === undefined) return []
  const between = foldedText.slice(move.index, first.at)
  const isObject = /^[a-z]/u.test(between) && beforeObject.test(between) && !/^[a-z]+ing\s/u.test(between)
  return isObject ? [] : after.map(({ ticker }) => ticker)
}

/**
 * Returns the tickers of the instruments whose price moves are stated in a sentence. `spansOf` finds the instruments in
 * a text.
 */
export type MoveReader = (
  sentence: string,
  spansOf: (text: string) => ReadonlyArray<MentionSpan>
) => ReadonlyArray<string>

/**
 * Returns a reader that finds the instruments that moved in the direction of the question. Returns null if the question
 * names no direction or both directions.
 */
export const makeMoveReader = (query: string): MoveReader | null => {
  const foldedQuery = foldText(query)
  const [isUp, isDown] = [queryMovePatterns[0].test(foldedQuery), queryMovePatterns[1].test(foldedQuery)]
  if (isUp === isDown) return null
  const wantedMove = isUp ? risePattern : fallPattern
  const wantedMoveHere = new RegExp(wantedMove.source, "uy")
  return (sentence, spansOf) => {
    const foldedSentence = foldText(sentence)
    // `wantedMove` is tested first, because most sentences fail this test, and the search for instruments is slower.
    if (!wantedMove.test(foldedSentence)) return []
    const spans = spansOf(sentence.normalize("NFKC"))
    const moves = Array.from(foldedSentence.matchAll(anyMovePattern))
    return moves.flatMap((move, moveIndex) => {
      wantedMoveHere.lastIndex = move.index
      return wantedMoveHere.test(foldedSentence) ? findMovedTickers(foldedSentence, spans, moves, moveIndex) : []
    })
  }
}
