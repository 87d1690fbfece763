const hours = "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두".split("|")
const digits = "일이삼사오육칠팔구"

/** The first and the last hour of each part of the day; hours from 24 on are of the next day. */
const parts = new Map<string, readonly [first: number, last: number]>([
  ["오전", [0, 11]],
  ["오후", [12, 23]],
  ["새벽", [0, 8]],
  ["아침", [4, 11]],
  ["점심", [11, 15]],
  ["낮", [9, 17]],
  ["저녁", [16, 24]],
  ["밤", [18, 29]],
  ["야간", [18, 29]],
  ["심야", [21, 29]],
  ["am", [0, 11]],
  ["pm", [12, 23]]
])
const partNames = [...parts.keys()].join("|")
const part = String.raw`(?:(?<![가-힣])(?:이른|늦은) )?(?:초|대|한)?(?<![a-z])(${partNames})(?:에)?`
/** The words and signs that can follow an hour in letters. */
const ending = String.raw`(?=에|마다|쯤|경|즈음|정도|정각|[\s,.!?]|$)`
const minutes = String.raw`(?: ?(?:([0-5]?\d) ?분(?!봉)|([이삼사오]?십)?([${digits}])?분${ending}|(반)${ending}))?`
const around = "(?: ?(?:쯤|경|즈음|정도|정각))?"
const clock = new RegExp(
  String.raw`(?:${part} ?)?(?:정각 ?)?` +
    // "오후 9:30", "밤 11시 30분", "저녁 여덟 시 반".
    String.raw`(?:(?<![\p{N}.,:])(2[0-4]|1\d|0?\d)(?::([0-5]\d)(?![\p{N}:])|시(?!간)| 시${ending})|` +
    String.raw`(?:(?<![가-힣])|(?<=(?:${partNames})(?:에)?))(${
      hours.toReversed().join("|")
    }) ?시(?= ?(?:\d|반|[${digits}십]+분|PM|AM)|${ending}))` +
    String.raw`${minutes}(?: ?([ap]m)(?![a-z]))?${around}`,
  "giu"
)
const named = new RegExp(String.raw`(?<![가-힣])(정오|자정)${minutes}${around}`, "giu")

/** A time of day in Korean and its place. If `hasPart`, the text names its part of the day, and `hour` is up to 23. */
export interface KoreanTime {
  readonly hour: number
  readonly minutes: number
  readonly at: number
  readonly end: number
  readonly hasPart: boolean
  /** Whether the part of the day has no such hour: "아침 16시". Then `hour` is the hour without the part. */
  readonly isContradiction: boolean
  /** Whether it is written in digits. */
  readonly isExact: boolean
}

/** Returns the hour of the day for an hour of a part of the day; null if that part has no such hour. */
const hourIn = (hour: number, name: string): number | null => {
  const [first, last] = parts.get(name.toLowerCase()) ?? [0, 23]
  const readings = hour === 12 ? [12, 24, 0] : hour > 12 ? [hour] : [hour, hour + 12, hour + 24]
  const found = readings.find((one) => one >= first && one <= last)
  return found === undefined ? null : found % 24
}

const minutesOf = ([minute, tens, one, half]: ReadonlyArray<string | undefined>): number => {
  if (half !== undefined) return 30
  const ten = tens === undefined ? 0 : (tens.length === 1 ? 1 : digits.indexOf(tens[0]!) + 1)
  return minute === undefined ? 10 * ten + (one === undefined ? 0 : digits.indexOf(one) + 1) : Number(minute)
}

/** Returns the times of day of a text that have Korean words, the named ones first. */
export const koreanTimesIn = (text: string): ReadonlyArray<KoreanTime> => {
  const found: Array<KoreanTime> = []
  for (const match of text.matchAll(named)) {
    const [all, name, ...minute] = match
    const place = { at: match.index, end: match.index + all.length }
    found.push({
      ...place,
      hour: name === "정오" ? 12 : 0,
      minutes: minutesOf(minute),
      hasPart: true,
      isContradiction: false,
      isExact: minute[0] !== undefined
    })
  }
  for (const match of text.matchAll(clock)) {
    const [all, before, digit, minute, word, m1, m2, m3, m4, after] = match
    const name = before ?? after
    // "9:30" is no Korean text.
    if (minute !== undefined && name === undefined) continue
    const named = digit === undefined ? hours.indexOf(word ?? "") + 1 : Number(digit)
    const hour = name === undefined ? named % 24 : hourIn(named, name)
    found.push({
      at: match.index,
      end: match.index + all.length,
      hour: hour ?? named % 24,
      isContradiction: hour === null,
      minutes: minutesOf([minute ?? m1, m2, m3, m4]),
      hasPart: name !== undefined,
      isExact: digit !== undefined || m1 !== undefined
    })
  }
  return found
}
