import { findMentionSpans } from "../../market/instrumentMentions.ts"
import { cityNames, fixedOffset, russianCityNames } from "./zoneCities.ts"

/** Abbreviations of time zones with one offset from UTC, in hours. */
const abbreviations: Readonly<Record<string, number>> = {
  utc: 0,
  gmt: 0,
  wet: 0,
  bst: 1,
  cet: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  ict: 7,
  wib: 7,
  krat: 7,
  irkt: 8,
  myt: 8,
  wita: 8,
  acst: 9.5,
  acdt: 10.5,
  vlat: 10,
  sast: 2,
  trt: 3,
  irst: 3.5,
  pkt: 5,
  uzt: 5,
  yekt: 5,
  npt: 5.75,
  omst: 6,
  awst: 8,
  hkt: 8,
  sgt: 8,
  jst: 9,
  kst: 9,
  aest: 10,
  aedt: 11,
  nzst: 12,
  nzdt: 13,
  brt: -3,
  edt: -4,
  cdt: -5,
  est: -5,
  mdt: -6,
  pdt: -7,
  pst: -8,
  akdt: -8,
  akst: -9,
  hst: -10
}

/** Abbreviations with several meanings, or of a zone that changed its offset. */
const open = "et|pt|ct|mt|cst|mst|ast|adt|nst|gst|almt|clt"

/** Words that may follow a zone. */
const beginnings =
  "every|each|daily|please|pls|to|send|check|show|tell|give|remind|report|run|alert|notify|update|review|brief"
/** The end after the name of a zone. Before another word the name is a part of the question: "9:00 London open". */
const endsZone = String.raw`(?=\)?(?:\s*$|\s*[,.;)]|\s+(?:${beginnings})(?![a-z])))`
/** Positions right after a time of day, and right before one. */
const partOfDay = String
  .raw`(?: ?[ap]\.?m\.?| o'clock| in the [a-z]+| at night| ?시(?: ?\d{1,2}분| ?반)?|(?: час[а-я]*)?(?: утра| дня| вечера| ночи)?)`
const afterTime = String.raw`(?<=(?<![\p{L}\d$.,])\d{1,2}(?:[:.]\d{2})?${partOfDay}[ ,(]{0,2}(?:in |по )?)`
const beforeTime = String.raw`(?= ?\d{1,2}(?::\d{2}| ?[ap]m|시))`
const dayWords = "(?:day|morning|evening|night|afternoon|daily|매일|день|утро|вечер|ежедневно)"
const notOffset = String.raw`(?! ?[+−–-] ?\d)`

/** Places whose offset is the same all year, in hours: cities and countries. */
const places: ReadonlyArray<readonly [cities: string, countries: string, ko: string, ru: string, hours: number]> = [
  ["seoul", "korean?", "한국|서울", "сеул|корейск", 9],
  ["moscow", "russian?", "모스크바", "москв|московск", 3],
  ["tokyo", "japan(?:ese)?", "도쿄|일본", "токио|японск", 9],
  ["hong kong|singapore", "hk", "홍콩|싱가포르", "гонконг|сингапур", 8],
  ["mumbai|delhi", "indian?", "인도", "инди|мумбаи|дели", 5.5],
  ["dubai", "uae", "두바이", "дуба", 4]
]

/** A place names a zone next to the word "time". An English city also does right after a time of day. */
const placeOf = (cities: string, countries: string, ko: string, ru: string): string =>
  [
    String.raw`(?<![a-z])(?:in )?(?:${cities}|${countries}) time(?![a-z])`,
    String.raw`${afterTime}(?:${cities})(?![a-z])(?! (?:stock|market|index|price|news))`,
    String.raw`(?:${ko}) ?(?:시간|시각)(?:으로|대로)?(?: ?기준(?:으로)?)?`,
    String.raw`(?<![а-я])(?:по )?(?:${ru})[а-я]* времени`,
    String.raw`${afterTime}по (?:${ru})(?!ск)[а-я]*|(?<=^|${dayWords} )по (?:${ru})(?!ск)[а-я]*(?= в \d)`
  ].join("|")

const names = Object.keys(abbreviations).join("|")
/** Abbreviations next to a time of day. */
const besideTime = new RegExp(
  String.raw`${afterTime}(${names})(?![\p{Script=Latin}\p{N}])${notOffset}(?: time(?![a-z]))?|` +
    String.raw`(?<![\p{L}\p{N}$])(?:in )?(${names})(?:${beforeTime}| time(?![a-z]))`,
  "giu"
)
/** Words right before and right after the name of a zone: "in KST", "UTC 기준으로", "по UTC". */
const beforeName = String
  .raw`(?<![\p{L}])(?:in |по )?(?:the )?(?:time ?zone:? |часов[а-я]+ пояс[а-я]* )|(?<![\p{L}])(?:in|по) `
const afterName = String.raw` time(?![a-z])| ?(?:시간대?|시각)?(?:으로|로)?(?: ?기준(?:으로)?)?(?![가-힣])(?<=[가-힣])`
const endOfName = String.raw`(?![\p{Script=Latin}\p{N}])${notOffset}`
/** Words after which a name in capitals belongs to the question: "send me the PST price". */
const ofContent = String.raw`(?<!(?<![a-z])(?:the|an?|of|about|for|vs|and|or|check|show|send|me) )`
const endOfMessage = String.raw`(?=[\s.!?)]*$)`
const repeatedly = "(?= (?:every|each|daily|매일|кажд|ежедневно)|,)"
/**
 * Abbreviations away from the time of day: after the words of a day or another zone, between their own words such as
 * "in", in brackets, between commas, and at the beginning or end of a message.
 */
const boundary = (name: string, flags: string): RegExp =>
  new RegExp(
    String
      .raw`(?<=(?:${names})(?: and | or | ?/ ?))(${name})${endOfName}|(?<=${dayWords} )(?:in )?(${name})${endOfName}|` +
      String.raw`\((?:in )?(${name})\)|(?:${beforeName})(${name})${endOfName}(?:${afterName})?|` +
      String.raw`(?<![\p{L}\p{N}$])(${name})(?:${afterName})|(?<=^\s*)(${name})${endOfName}${repeatedly}|` +
      String.raw`(?<=, ?)(${name})${endOfName}(?=,)|(?<![\p{L}\p{N}$])${ofContent}(${name})${endOfName}${endOfMessage}`,
    flags
  )
const apartFromTime = boundary(names, "giu")
const openApartFromTime = boundary(open.toUpperCase(), "gu")
/** Abbreviations in capitals that no rule reads: a zone or a word of the question. */
const unplaced = new RegExp(
  String.raw`(?<![\p{L}\p{N}$])(?<!(?:the|an?|of|about|for) )(${names.toUpperCase()})(?![\p{L}\p{N}])`,
  "u"
)
const zonesOfPlaces = [
  ...places.map(([cities, countries, ko, ru, hours]) => ({
    hours,
    pattern: new RegExp(placeOf(cities, countries, ko, ru), "giu")
  })),
  { hours: 3, pattern: /(?<![а-я])(?:по )?мск(?![а-я])/giu }
]

const fromUtc = /(?<![a-z])(?:in |по )?(?:utc|gmt) ?([+−–-]) ?(\d{1,2})(?::?([0-5]\d))?(?!\d)(?: ?기준(?:으로)?)?/giu
/** An offset right after a time of day: "9:00 +03:00". */
const bareOffset = new RegExp(
  String.raw`(?<=(?<![\p{L}\d$.,])\d{1,2}(?::\d{2})?(?: ?[ap]\.?m\.?)? ?)(\+|(?<= )[−–-])(\d{1,2}):([0-5]\d)(?!\d)`,
  "giu"
)

/** Words before "time" that are no zones or known zones. */
const others = [
  "this|that|every|each|same|any|real|all|the",
  ...places.flatMap(([cities, countries]) => [cities, countries]),
  ...Object.keys(abbreviations)
].join("|")
const summerPlaces =
  "eastern|pacific|central|mountain|new york|ny|london|berlin|paris|sydney|local|european|us|american|wall street"
/** Words before 시간 that name a part of the day or of a session, and no place. */
const koreanHours =
  "같은|현재|정해진|해당|평소|아침|점심|저녁|오전|오후|새벽|심야|마감|개장|장|거래|정규|프리|애프터|세션|만기|발표|종가|정산|출근|퇴근|근무|업무|지금|동일"
/** Names of zones without one known offset. */
const unknown = [
  String.raw`${afterTime}(?:${open})(?![\p{L}\p{N}])`,
  String.raw`${afterTime}(?:eastern|pacific|central|mountain)(?: time)?(?![a-z])${endsZone}`,
  String.raw`(?<![a-z])(?:${summerPlaces})(?: standard| daylight)? time(?![a-z])`,
  String.raw`${afterTime}(?!(?:${others})(?![a-z]))[a-z]{3,}(?: [a-z]{3,})? time(?![a-z])`,
  String.raw`(?:뉴욕|미국|런던|유럽|동부|서부|현지) ?(?:동부 ?|서부 ?)?시간`,
  String.raw`(?<![가-힣])(?!(?:${koreanHours})[가-힣]{0,2} ?시|(?:${
    places.map(([, , ko]) => ko).join("|")
  }) ?시)[가-힣]{2,6} ?(?:시간|시각)(?:으로|대로| ?기준)`,
  String.raw`${afterTime}по гринвич[а-я]*`,
  String.raw`(?<![а-я])по (?:нью-йорк|лондон|берлин|киев|местн|европ|америк|восточн|вашингтон|париж)[а-я]*(?: времени)?`
].join("|")
const unknownZone = new RegExp(unknown, "giu")

/** Cities next to the word "time", and right after a time of day. */
const cities = new RegExp(
  String.raw`(?<![a-z])(?:in )?(${cityNames}) time(?![a-z])|${afterTime}(${cityNames})(?![a-z])${endsZone}|` +
    String.raw`${afterTime}по (${russianCityNames})[а-я]*`,
  "giu"
)
const citiesIn = (text: string) =>
  [...text.matchAll(cities)].map(({ 0: whole, 1: a, 2: b, 3: ru }) => ({
    whole,
    hours: fixedOffset(a ?? b ?? ru ?? "")
  }))

/** Capitals and names between a time and the next part of a request: an unknown zone, or an instrument. */
const capitals = new RegExp(
  String.raw`${afterTime}([A-Z]{2,5}|[A-Z][a-z]{2,}(?: [A-Z][a-z]+)?)${endsZone}`,
  "gu"
)
const clockWords = new Set(["AM", "PM", "AND", "OR", "TO", "ON", "AT"])

/** Returns the hours of an offset such as `UTC+5:30`; null if no zone has that offset. */
const hoursOf = (sign: string, hours: string, minutes: string | undefined): number | null => {
  const value = (sign === "+" ? 1 : -1) * (Number(hours) + Number(minutes ?? 0) / 60)
  return value >= -12 && value <= 14 && Number.isInteger(value * 4) ? value : null
}

/** Returns `text` with spaces in place of the names of time zones. */
export const withoutZones = (text: string): string =>
  [fromUtc, bareOffset, apartFromTime, besideTime, ...zonesOfPlaces.map(({ pattern }) => pattern), cities, unknownZone]
    .reduce(
      (left, pattern) => left.replaceAll(pattern, (found) => " ".repeat(found.length)),
      text
    )

const offsetsIn = (text: string) =>
  [fromUtc, bareOffset].flatMap((pattern) => [...text.matchAll(pattern)]).map((
    [whole, sign = "+", hours = "", minutes]
  ) => ({ whole, hours: hoursOf(sign, hours, minutes) }))

/** A Russian name in capitals after a time of day: "в 9:00 по Владивостоку". */
const russianPlace = new RegExp(String.raw`${afterTime}по ([А-Яа-я][а-я]+(?:-[А-Я][а-я]+)?)`, "gu")

/**
 * Returns the name of a time zone with an unknown or changing offset, or null. `isContent` returns true for a word
 * in capitals after a time of day that belongs to the question and is not a zone.
 */
export const unknownZoneIn = (text: string, isContent: (name: string) => boolean): string | null => {
  const [first] = [...offsetsIn(text), ...citiesIn(text)].filter(({ hours }) => hours === null)
  const known = text.replaceAll(cities, (name) => " ".repeat(name.length))
  const found = first?.whole ?? known.match(unknownZone)?.[0] ?? null
  if (found !== null) return found.trim()
  const apart = text.match(openApartFromTime)?.[0] ?? unplaced.exec(withoutZones(text))?.[0]
  if (apart !== undefined) return apart.trim()
  for (const { 0: name, 1: place = "" } of withoutZones(text).matchAll(russianPlace)) {
    if (findMentionSpans(place).length === 0 && (/^[А-Я]/u.test(place) || !isContent(place))) return name
  }
  for (const { 1: name = "" } of withoutZones(text).matchAll(capitals)) {
    const isZone = Object.hasOwn(abbreviations, name.toLowerCase()) || clockWords.has(name)
    const isInstrument = /[a-z]/.test(name) && findMentionSpans(name).length > 0
    if (!isZone && !isInstrument && !isContent(name)) return name
  }
  return null
}

/** Returns the offsets from UTC that a text names, in hours, without duplicates. */
export const namedOffsets = (text: string): ReadonlyArray<number> => [
  ...new Set([
    ...[besideTime, apartFromTime].flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap(([, ...groups]) =>
        abbreviations[groups.find((name) => name !== undefined)?.toLowerCase() ?? ""] ?? []
      )
    ),
    ...zonesOfPlaces.flatMap(({ hours, pattern }) => text.search(pattern) >= 0 ? [hours] : []),
    ...citiesIn(text).flatMap(({ hours }) => hours ?? []),
    ...offsetsIn(text).flatMap(({ hours }) => hours ?? [])
  ])
]
