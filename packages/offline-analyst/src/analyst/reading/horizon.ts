import { plain, rule } from "./rule.ts"

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
  { unit: /^(?:months?|개월|달|месяц)/u, minutes: 43_200 },
  { unit: /^(?:y|yrs?|years?|년|год|лет)/u, minutes: 525_600 }
]

const counted =
  /(?<![\p{L}\d.,$])(\d{1,4})[\s-]?(minutes?|mins?|m(?![a-z])|hours?|hrs?|h(?![a-z])|days?|d(?![a-z])|weeks?|w(?![a-z])|months?|years?|yrs?|y(?![a-z])|분(?!기)|시간|일|주(?!식)|개월|달(?!러)|년(?!물)|минут|мин|час|ч(?![а-я])|дн|ден|сут|недел|месяц|лет(?![а-я])|год[а]?(?![а-я]))/gu

const wordCounts = ([
  ["two|couple of", "두", "дв[ае]|двух", 2],
  ["three", "세", "три|трех", 3],
  ["four", "네", "четыре|четырех", 4],
  ["five", "다섯", "пять|пяти", 5],
  ["six", "여섯", "шесть|шести", 6],
  ["ten", "열", "десять|десяти", 10],
  ["twelve", "열두", "двенадцать|двенадцати", 12]
] as const).map(([en, ko, ru, n]): readonly [RegExp, string] => [
  new RegExp(
    `(?<![\\p{L}\\d])(?:${en}|${ko}|${ru})(?= ?(?:minutes?|hours?|days?|weeks?|months?|years?|분|시간|달|주|해|минут|час|дн|суток|недел|месяц|лет|год))`,
    "gu"
  ),
  String(n)
])

const words: ReadonlyArray<readonly [RegExp, number]> = [
  [rule("half (?:an )?hour", "반\\s?시간", "полчас"), 30],
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
      "이번\\s?달|이달|월말|다음\\s?달|지난\\s?달|한\\s?달|월간",
      "месяц"
    ),
    43_200
  ],
  [
    rule("(?:a|one|last|past|next|this) year|yearly|year", "올해|연말|일\\s?년|1년|내년", "год(?:а|у|овой)?(?![а-я])"),
    525_600
  ]
]

const counts: ReadonlyArray<readonly [RegExp, number]> = [
  [rule("two days|couple (?:of )?days", "이틀", "двое суток|два дня|пар[ау] дней"), 2_880],
  [rule("three days", "사흘", "трое суток|три дня"), 4_320]
]

const frameMinutes = new Set([15, 60, 240])

export const horizonOf = (question: string): Horizon | null => {
  const folded = wordCounts.reduce((text, [pattern, count]) => text.replace(pattern, count), plain(question))
  const named = Array.from(
    folded.matchAll(counted),
    ({ 1: count = "", 2: unit = "" }) =>
      Number(count) * (spans.find(({ unit: pattern }) => pattern.test(unit))?.minutes ?? 0)
  ).filter((minutes) => minutes > 0)
  // In "`4h` candles for 90 days", `4h` is the time frame of the candles and not the span.
  const minutes = named.find((minutes) => !frameMinutes.has(minutes)) ?? named[0]
  if (minutes !== undefined) return { minutes }
  const word = [...counts, ...words].find(([pattern]) => pattern.test(folded))
  return word === undefined ? null : { minutes: word[1] }
}

export type Frame = "15m" | "1h" | "4h" | "1d"

const frames: ReadonlyArray<readonly [Frame, RegExp]> = [
  ["15m", rule("15[\\s-]?(?:m|min|minutes?)(?: (?:chart|candles?|tf))?", "15\\s?분봉?", "15[\\s-]?мин|15м")],
  ["4h", rule("4[\\s-]?(?:h|hours?|hr)", "4\\s?시간봉?", "4[\\s-]?(?:час|ч(?![а-я]))|четырехчас")],
  [
    "1h",
    rule(
      "1[\\s-]?(?:h|hour|hr)|hourly",
      "1\\s?시간봉|(?<!\\d\\s?)시간봉",
      "1[\\s-]?(?:час|ч(?![а-я]))|часов(?:ой|ом|ик)|часовик|(?<=на )часе"
    )
  ],
  ["1d", rule("1d|daily|day chart|(?:on|the) days?", "일봉|일간", "дневн|дневк|1[\\s-]?д(?![а-я])")]
]

export const framesOf = (question: string): ReadonlyArray<Frame> => {
  const folded = plain(question)
  return frames.flatMap(([frame, pattern]) => {
    const at = folded.search(pattern)
    return at < 0 ? [] : [{ frame, at }]
  }).toSorted((a, b) => a.at - b.at).map(({ frame }) => frame)
}
