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
  pst: -8
}

/** Abbreviations with several meanings, and of zones with summer time. */
const open = "et|pt|ct|mt|cst|mst"

/** Positions right after a time of day, and right before one. */
const partOfDay = String.raw`(?: ?[ap]\.?m\.?| o'clock| ?시(?: ?\d{1,2}분| ?반)?| час[а-я]*| утра| вечера)?`
const afterTime = String.raw`(?<=(?<![\p{L}\d$.,])\d{1,2}(?::\d{2})?${partOfDay}[ ,(]{0,2}(?:in |по )?)`
const beforeTime = String.raw`(?= ?\d{1,2}(?::\d{2}| ?[ap]m|시))`
const notOffset = String.raw`(?! ?[+-] ?\d)`

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
    String.raw`(?:${ko}) ?(?:시간|시각)(?:으로|대로)?`,
    String.raw`(?<![а-я])по (?:${ru})[а-я]*(?: времени)?|(?<![а-я])(?:${ru})[а-я]* времени`
  ].join("|")

const names = Object.keys(abbreviations).join("|")
/** Abbreviations next to a time of day. */
const besideTime = new RegExp(
  String.raw`${afterTime}(${names})(?![\p{Script=Latin}\p{N}])${notOffset}(?: time(?![a-z]))?|` +
    String.raw`(?<![\p{L}\p{N}$])(?:in )?(${names})(?:${beforeTime}| time(?![a-z]))`,
  "giu"
)
/** Abbreviations in capitals, wherever they are. */
const inCapitals = new RegExp(
  String.raw`(?<![\p{L}\p{N}$])(?:in )?(${names.toUpperCase()})(?![\p{Script=Latin}\p{N}])${notOffset}`,
  "gu"
)
const zonesOfPlaces = [
  ...places.map(([cities, countries, ko, ru, hours]) => ({
    hours,
    pattern: new RegExp(placeOf(cities, countries, ko, ru), "giu")
  })),
  { hours: 3, pattern: /(?<![а-я])(?:по )?мск(?![а-я])/giu }
]

const fromUtc = /(?<![a-z])(?:utc|gmt) ?([+-]) ?(\d{1,2})(?::?([0-5]\d))?(?!\d)/giu

/** Words before "time" that are no zones or known zones. */
const others = [
  "this|that|every|each|same|any|real|all|the",
  ...places.flatMap(([cities, countries]) => [cities, countries]),
  ...Object.keys(abbreviations)
].join("|")
const summerPlaces =
  "eastern|pacific|central|mountain|new york|ny|london|berlin|paris|sydney|local|european|us|american|wall street"
/** Zones that have no fixed offset, or more than one meaning. */
const unknown = [
  String.raw`${afterTime}(?:${open})(?![\p{L}\p{N}])`,
  String.raw`(?<![a-z])(?:${summerPlaces})(?: standard| daylight)? time(?![a-z])`,
  String.raw`${afterTime}(?!(?:${others})(?![a-z]))[a-z]{3,}(?: [a-z]{3,})? time(?![a-z])`,
  String.raw`(?:뉴욕|미국|런던|유럽|동부|서부|현지) ?(?:동부 ?|서부 ?)?시간`,
  String.raw`(?<![а-я])по (?:нью-йорк|лондон|берлин|киев|местн|европ|америк|восточн|вашингтон|париж)[а-я]*(?: времени)?`
].join("|")
const unknownZone = new RegExp(unknown, "giu")

/** Words that may follow a zone. */
const beginnings =
  "every|each|daily|please|pls|to|send|check|show|tell|give|remind|report|run|alert|notify|update|review|brief"
/** Capitals between a time and the next part of a request: an unknown zone, or an instrument. */
const capitals = new RegExp(
  String.raw`${afterTime}([A-Z]{2,5})\)?(?=\s*$|\s*[,.;)]|\s+(?:${beginnings})(?![a-z]))`,
  "gu"
)
const clockWords = new Set(["AM", "PM", "AND", "OR", "TO", "ON", "AT"])

/** Returns the hours of an offset such as `UTC+5:30`; null if no zone has that offset. */
const hoursOf = (sign: string, hours: string, minutes: string | undefined): number | null => {
  const value = (sign === "-" ? -1 : 1) * (Number(hours) + Number(minutes ?? 0) / 60)
  return value >= -12 && value <= 14 && Number.isInteger(value * 4) ? value : null
}

/** Returns `text` with spaces in place of the names of time zones. */
export const withoutZones = (text: string): string =>
  [fromUtc, besideTime, inCapitals, ...zonesOfPlaces.map(({ pattern }) => pattern), unknownZone].reduce(
    (left, pattern) => left.replaceAll(pattern, (found) => " ".repeat(found.length)),
    text
  )

/** Returns the name of a time zone without one known offset; null if the text names no such zone. */
export const unknownZoneIn = (text: string, isInstrument: (ticker: string) => boolean): string | null => {
  for (const [whole, sign = "+", hours = "", minutes] of text.matchAll(fromUtc)) {
    if (hoursOf(sign, hours, minutes) === null) return whole
  }
  const found = text.match(unknownZone)?.[0] ?? null
  if (found !== null) return found.trim()
  for (const { 1: name = "" } of text.matchAll(capitals)) {
    const isZone = Object.hasOwn(abbreviations, name.toLowerCase()) || clockWords.has(name)
    if (!isZone && !isInstrument(name)) return name
  }
  return null
}

/** Returns the offsets from UTC that a text names, in hours, without duplicates. */
export const namedOffsets = (text: string): ReadonlyArray<number> => [
  ...new Set([
    ...[besideTime, inCapitals].flatMap((pattern) =>
      [...text.matchAll(pattern)].flatMap(([, after = "", before = ""]) =>
        abbreviations[(after === "" ? before : after).toLowerCase()] ?? []
      )
    ),
    ...zonesOfPlaces.flatMap(({ hours, pattern }) => text.search(pattern) >= 0 ? [hours] : []),
    ...[...text.matchAll(fromUtc)].flatMap(([, sign = "+", hours = "", minutes]) => hoursOf(sign, hours, minutes) ?? [])
  ])
]
