/** Zones whose offset from UTC is the same all year, in hours. Abbreviations of summer and winter time are apart. */
const zones: ReadonlyArray<readonly [RegExp, number]> = [
  [/(?<![a-z])(?:kst|seoul)(?![a-z])|한국|서울|сеул|корейск/iu, 9],
  [/(?<![a-z])(?:msk|moscow)(?![a-z])|мск|московск|москв|모스크바/iu, 3],
  [/(?<![a-z])(?:utc|gmt)(?! ?[+-])(?![a-z])/iu, 0],
  [/(?<![a-z])(?:jst|tokyo)(?![a-z])|도쿄|일본|токио|японск/iu, 9],
  [/(?<![a-z])(?:hkt|sgt|hong kong|singapore)(?![a-z])|홍콩|싱가포르|гонконг|сингапур/iu, 8],
  [/(?<![a-z])est(?![a-z])/iu, -5],
  [/(?<![a-z])edt(?![a-z])/iu, -4],
  [/(?<![a-z])cdt(?![a-z])/iu, -5],
  [/(?<![a-z])mdt(?![a-z])/iu, -6],
  [/(?<![a-z])pdt(?![a-z])/iu, -7],
  [/(?<![a-z])pst(?![a-z])/iu, -8],
  [/(?<![a-z])cet(?![a-z])/iu, 1],
  [/(?<![a-z])cest(?![a-z])/iu, 2]
]

const fromUtc = /(?:utc|gmt) ?([+-]) ?(\d{1,2})(?![\d:])/giu

/** Zones that have no fixed offset, or more than one meaning. */
const unknown =
  /(?<=\d ?|[ap]m )(?:et|pt|ct|mt|cst|mst|bst|ist)(?![a-z])|(?<![a-z])(?:eastern|pacific|central|mountain|new york|ny|london|berlin|paris|sydney|local|european|us|american|wall street)(?: standard| daylight)? time(?![a-z])|(?:utc|gmt) ?[+-] ?\d{1,2}:\d|(?:뉴욕|미국|런던|유럽|동부|서부|현지) ?(?:동부 ?|서부 ?)?시간|(?<![а-я])по (?:нью-йорк|лондон|берлин|киев|местн|европ|америк|восточн|вашингтон)[а-я]*/iu

/** Matches every name of a zone, to remove it from a text. */
export const zoneWords: RegExp = new RegExp(
  [
    ...zones.map(([{ source }]) => `(?:(?<![а-я])по )?(?:${source})[а-я]*(?:\\s?시간(?:으로)?| времени| time)?`),
    `(?:${fromUtc.source})`,
    `(?:${unknown.source})`
  ].join("|"),
  "giu"
)

/** The offsets from UTC that a text names, in hours; null for a zone that has no one offset. */
export const namedOffsets = (text: string): ReadonlyArray<number> | null => {
  if (unknown.test(text)) return null
  const said = zones.flatMap(([pattern, hours]) => pattern.test(text) ? [hours] : [])
  for (const [, sign, hours] of text.matchAll(fromUtc)) said.push(Number(hours) * (sign === "-" ? -1 : 1))
  return [...new Set(said)]
}
