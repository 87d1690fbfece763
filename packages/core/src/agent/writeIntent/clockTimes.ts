import { koreanTimesIn } from "./koreanTimes.ts"

/** A time of day in a text, in minutes after midnight, and its place. */
export interface ClockTime {
  readonly value: number
  readonly at: number
  readonly end: number
  /** Whether the text writes it as a time: "9:00" and "9am", not "at 9" or "at nine". */
  readonly isExact: boolean
  /** Whether it belongs to the subject of a request: "the change since 16:00". */
  readonly isContent: boolean
}

const partAfter = String.raw` ?[ap]\.?m\.?(?![a-z])| in the (?:morning|afternoon|evening)(?![a-z])| at night(?![a-z])`
/** "9.30" is a time only after words such as "every day at". */
const dotted = String
  .raw`(?<=(?<![\p{L}])(?:(?:day|morning|evening|night|afternoon|daily) at|(?:день|утро|вечер|ежедневно) в) \d{1,2})\.`
const exact = new RegExp(
  String
    .raw`(?<![\p{L}\p{N}.,:]|(?:utc|gmt) ?[+−–-] ?|\d ?\+|\d [−–-])([01]?\d|2[0-3])(?::|${dotted})([0-5]\d)(?![\p{N}:])(${partAfter})?|` +
    String.raw`(?<![\p{L}\p{N}.,:$])(1[0-2]|[1-9])(?:\.([0-5]\d))?( ?[ap]\.?m\.?(?![a-z]))|` +
    String.raw`(?<=(?<![a-z])at )(1[0-2]|[1-9])(${partAfter})|` +
    String
      .raw`(?<![\p{L}\p{N}.,:])(2[0-3]|1\d|\d) (?:(?:час(?:ов|а)? )?(утра|вечера)|час(?:ов|а)? (дня|ночи))(?![а-я])`,
  "giu"
)

const english = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve".split("|")
const russian = "час|два|три|четыре|пять|шесть|семь|восемь|девять|десять|одиннадцать|двенадцать".split("|")

const dayWords =
  "(?:day|morning|evening|night|afternoon|daily|tomorrow|today|tonight|день|утро|вечер|ночь|ежедневно|завтра|сегодня|утром|вечером)"
const dayBefore = String.raw`(?<=(?<![\p{L}])${dayWords},? (?:at |в )?)`
const dayAfter = String
  .raw`(?=[ ,]*(?:$|[.!?]|every|each|daily|tomorrow|today|tonight|o'?clock|кажд|ежедневно|завтра|сегодня))`
/** No measure, no decimal and no second number follows. */
const noMeasure = String.raw`(?! ?(?:[%$€\d]|[kк](?![a-zа-я]))|[.,:]\d)`
const partRu = "(?: час[а-я]*)? (?:утра|дня|вечера|ночи)"
/** Hours after words such as "at": "at 9", "в девять". An hour in letters has the words of a day next to it. */
const bare = new RegExp(
  String.raw`(?<=(?<![a-z])(?:at |@ ?))(2[0-3]|1\d|\d)${noMeasure}(?![\p{L}\d])|` +
    String.raw`(?<=(?<![а-я])во? )(2[0-3]|1\d|\d)${noMeasure}(?![\p{L}\d])(?! (?:раз|день|недел|месяц|год)|-)|` +
    String.raw`(?<=(?<![a-z])at )(?:${dayBefore}(${english.join("|")})|(${english.join("|")})${dayAfter})(?![a-z])|` +
    String
      .raw`(?<=(?<![а-я])в )(?:${dayBefore}(${russian.join("|")})|(${russian.join("|")})(?=${partRu}|[,.!?]|$))` +
    String.raw`(?![а-я])(?! раза?(?![а-я]))(?: час[а-я]*)?(?: (утра|дня|вечера|ночи)(?![а-я]))?`,
  "giu"
)
const named: ReadonlyArray<readonly [RegExp, number]> = [
  [/(?<![a-z])(?:noon|midday)(?![a-z])|(?<![а-я])(?:в )?полдень/giu, 720],
  [/(?<![a-z])midnight(?![a-z])|(?<![а-я])(?:в )?полночь/giu, 0]
]

/** Words right before a time that is part of the subject: "since 16:00", "RSI is at 20", "the 9:30 open". */
const contentBefore =
  /(?<![a-z])(?:since|after|before|than|of|the|an?|until|till|(?:is|are|was|were|be|been|stays?|trades?|traded|trading|closed?|opened?|stood) (?:still )?at)(?: the)? $|(?<![а-я])(?:после|до|с|со|на уровне) $/iu
const contentAfter =
  /^(?: ?(?:이후|이전|대비|종가|시가|가격|까지의|부터의)|-?\s?(?:week|day|month|year|hour)s? (?:high|low)s?)/iu

/** The part of the day that the words of a schedule or a reminder name. */
const parts: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /(?<![a-z])(?:every|each|this|tomorrow|in the) (?:single )?afternoon|(?:매일|내일|오늘) 오후|오후(?:에|마다)|(?<![а-я])(?:часа?|во? \d{1,2}(?::\d{2})?) дня(?![а-я])/iu,
    "pm"
  ],
  [
    /(?<![a-z])(?:every|each|this|tomorrow|in the) (?:single )?evening|(?:매일|내일|오늘) 저녁|저녁(?:에|마다)|(?<![а-я])(?:кажд[а-я]+ вечер|по вечерам|вечером)/iu,
    "evening"
  ],
  [
    /(?<![a-z])(?:(?:every|each|tomorrow) (?:single )?night|at night|tonight)|(?:매일|내일|오늘) 밤|밤(?:에|마다)|(?<![а-я])(?:кажд[а-я]+ ночь|по ночам|ночью)/iu,
    "night"
  ]
]

/** Returns the part of the day that a text names: "pm", "evening" or "night"; empty if it names none of these. */
export const partOfDayIn = (text: string): string => parts.find(([pattern]) => pattern.test(text))?.[1] ?? ""

/** Returns the hour of the day for an hour of a part of the day, such as 21 for 9 in the evening. */
const hourOf = (hour: number, part: string): number => {
  const isNight = /night|ночи/iu.test(part)
  if (hour === 12 && (isNight || /^ ?a|evening|вечера/iu.test(part))) return 0
  const isLate = /^ ?p|afternoon|evening|вечера|дня/iu.test(part) || (isNight && hour >= 6)
  return isLate && hour < 12 ? hour + 12 : hour
}

/** Returns the places of the times whose part of the day has no such hour, such as "오전 21시", outside its subject. */
export const contradictoryTimesIn = (text: string): ReadonlyArray<{ readonly at: number; readonly end: number }> =>
  koreanTimesIn(text).filter(({ end, isContradiction }) => isContradiction && !contentAfter.test(text.slice(end)))

/** Returns the times of day of a text, in order. A time without a part of the day has the part that the text names. */
export const clockTimesIn = (text: string): ReadonlyArray<ClockTime> => {
  const usual = partOfDayIn(text)
  const found: Array<ClockTime> = []
  const contradictions = contradictoryTimesIn(text)
  const add = (at: number, end: number, hour: number, minutes: number, part: string | undefined, isExact: boolean) => {
    if ([...found, ...contradictions].some((one) => at < one.end && end > one.at)) return
    const isContent = contentBefore.test(text.slice(0, at)) || contentAfter.test(text.slice(end))
    const value = hourOf(hour, part ?? (isContent ? "" : usual)) * 60 + minutes
    found.push({ value, at, end, isExact, isContent })
  }
  for (const { at, end, hasPart, hour, isExact, minutes } of koreanTimesIn(text)) {
    add(at, end, hour, minutes, hasPart ? "named" : undefined, isExact)
  }
  for (const match of text.matchAll(exact)) {
    const [{ length }, h1, m1, p1, h2, m2, p2, h3, p3, hourRu, p5, p6] = match
    const [hour, minutes] = [Number(h1 ?? h2 ?? h3 ?? hourRu), Number(m1 ?? m2 ?? 0)]
    add(match.index, match.index + length, hour, minutes, p1 ?? p2 ?? p3 ?? p5 ?? p6, true)
  }
  for (const match of text.matchAll(bare)) {
    const [{ length }, en, ru, enWord1, enWord2, ruWord1, ruWord2, part] = match
    // "В час" means "per hour" unless it is next to the words of a day.
    if (ruWord2 === "час" && part === undefined) continue
    const word = (enWord1 ?? enWord2 ?? ruWord1 ?? ruWord2)?.toLowerCase() ?? ""
    const index = [english, russian].map((words) => words.indexOf(word)).find((at) => at >= 0) ?? 0
    add(match.index, match.index + length, Number(en ?? ru ?? index + 1), 0, part, false)
  }
  for (const [pattern, minutes] of named) {
    for (const { 0: { length }, index } of text.matchAll(pattern)) {
      add(index, index + length, minutes / 60, 0, "named", false)
    }
  }
  return found.sort((a, b) => a.at - b.at)
}
