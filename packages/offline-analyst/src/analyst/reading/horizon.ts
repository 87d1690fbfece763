import { plain, rule } from "./rule.ts"

/** A span of time that a question names. */
export interface Horizon {
  readonly minutes: number
}

interface Span {
  readonly unit: RegExp
  readonly minutes: number
}

const spans: ReadonlyArray<Span> = [
  { unit: /^(?:m|mins?|minutes?|분|мин)/u, minutes: 1 },
  { unit: /^(?:h|hrs?|hours?|시간|ч|час)/u, minutes: 60 },
  { unit: /^(?:d|days?|일|дн|ден|сут)/u, minutes: 1_440 },
  { unit: /^(?:w|wks?|weeks?|주|недел)/u, minutes: 10_080 },
  { unit: /^(?:months?|개월|달|месяц)/u, minutes: 43_200 }
]

const counted =
  /(?<![\p{L}\d.,$])(\d{1,4})[\s-]?(minutes?|mins?|m(?![a-z])|hours?|hrs?|h(?![a-z])|days?|d(?![a-z])|weeks?|w(?![a-z])|months?|분(?!기)|시간|일|주(?!식)|개월|달(?!러)|минут|мин|час|ч(?![а-я])|дн|ден|сут|недел|месяц)/gu

const words: ReadonlyArray<readonly [RegExp, number]> = [
  [
    rule("(?:an|one|last|past|next|this|the) hour|hourly", "한\\s?시간|1시간", "час(?:а|у|ом)?(?![а-я])|ближайший час"),
    60
  ],
  [
    rule(
      "today|tonight|tomorrow|24h|overnight|(?:a|one|last|past|next|this|the) day|daily|yesterday",
      "오늘|내일|하루|어제|일간|밤새",
      "сегодня|завтра|сутк|за день|вчера|дневн"
    ),
    1_440
  ],
  [
    rule(
      "weekly|(?:a|one|last|past|next|this|the) week|week",
      "이번\\s?주|다음\\s?주|지난\\s?주|일주일|한\\s?주|주간",
      "недел"
    ),
    10_080
  ],
  [
    rule(
      "monthly|(?:a|one|last|past|next|this|the) month|month",
      "이번\\s?달|다음\\s?달|지난\\s?달|한\\s?달|월간",
      "месяц"
    ),
    43_200
  ]
]

/** The span that a question names in numbers or words, if any. */
export const horizonOf = (question: string): Horizon | null => {
  const folded = plain(question)
  for (const { 1: count = "", 2: unit = "" } of folded.matchAll(counted)) {
    const span = spans.find(({ unit: pattern }) => pattern.test(unit))
    if (span !== undefined && Number(count) > 0) return { minutes: Number(count) * span.minutes }
  }
  const word = words.find(([pattern]) => pattern.test(folded))
  return word === undefined ? null : { minutes: word[1] }
}

export type Frame = "15m" | "1h" | "4h" | "1d"

const frames: ReadonlyArray<readonly [Frame, RegExp]> = [
  ["15m", rule("15[\\s-]?(?:m|min|minutes?)(?: (?:chart|candles?|tf))?", "15\\s?분봉?", "15[\\s-]?мин|15м")],
  ["4h", rule("4[\\s-]?(?:h|hours?|hr)", "4\\s?시간봉?", "4[\\s-]?(?:час|ч(?![а-я]))|четырехчас")],
  [
    "1h",
    rule("1[\\s-]?(?:h|hour|hr)|hourly", "1\\s?시간봉|시간봉", "1[\\s-]?(?:час|ч(?![а-я]))|часов(?:ой|ом|ик)|часовик")
  ],
  ["1d", rule("1d|daily|day chart|(?:on|the) days?", "일봉|일간", "дневн|дневк|1[\\s-]?д(?![а-я])")]
]

/** The time frame of candles that a question names, if any. */
export const frameOf = (question: string): Frame | null => {
  const folded = plain(question)
  return frames.find(([, pattern]) => pattern.test(folded))?.[0] ?? null
}
