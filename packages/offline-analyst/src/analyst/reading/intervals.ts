const numbers: ReadonlyMap<string, number> = new Map(
  ([
    [0.25, "quarter"],
    [0.5, "half|반"],
    [1, "a|an|one|한|один|одну|каждую|каждый"],
    [1.5, "полтора"],
    [2, "two|couple|other|두|два|две"],
    [3, "three|세|три"],
    [4, "four|네|четыре"],
    [5, "five|다섯|오|пять"],
    [6, "six|여섯|шесть"],
    [7, "seven|일곱|семь"],
    [8, "eight|여덟|восемь"],
    [9, "nine|아홉|девять"],
    [10, "ten|열|십|десять"],
    [11, "eleven|열한|одиннадцать"],
    [12, "twelve|열두|двенадцать"],
    [15, "fifteen|십오|пятнадцать"],
    [20, "twenty|이십|двадцать"],
    [24, "twenty-four|twenty four|스물네"],
    [30, "thirty|삼십|тридцать"],
    [40, "forty|사십|сорок"],
    [45, "forty-five|forty five|사십오|сорок пять"],
    [60, "sixty|육십|шестьдесят"],
    [90, "ninety|구십|девяносто"]
  ] as const).flatMap(([value, words]) => words.split("|").map((word) => [word, value] as const))
)

const englishNumber = String.raw`(?:\d+(?:[.,]\d+)?|[a-z]+(?:-[a-z]+)?)`
const englishUnit = String.raw`(?:minutes?|mins?|hours?|hrs?|h|m)(?![a-z])`

/** Matches the interval of a schedule: "every 4 hours", "2시간마다", "раз в час". */
export const interval = new RegExp(
  String
    .raw`(?<![a-z])(?:every|each) ?(?!(?:single )?(?:day|morning|evening|night|afternoon|time)(?![a-z]))(?:${englishNumber}(?: |-| of | and )?(?:an? )?){0,3}?${englishUnit}(?: and a half(?![a-z]))?|` +
    String.raw`^hourly(?![a-z])|(?<= )hourly$|(?<![a-z])once (?:an|every|per) hour(?![a-z])|` +
    String.raw`(?:\d+(?:\.\d+)?|(?<![가-힣])[가-힣]{1,3}) ?(?:분|시간)(?: ?반)? ?(?:마다|에 ?한 ?번(?:씩)?)|매 ?시간|` +
    String
      .raw`(?<![а-я])кажд[а-я]+ (?:[а-я\d.,]+ ){0,2}?(?:минут[а-я]*|мин|час(?:а|ов)?(?![а-я])|полчаса)|ежечасно|(?<![а-я])(?:один )?раз в час(?![а-я])`,
  "giu"
)

/** Returns the number that digits or a word stand for, or null for an indefinite word such as "few". */
const numberOf = (text: string): number | null =>
  /^\d/.test(text) ? Number(text.replace(",", ".")) : numbers.get(text) ?? null

/** Returns the length of an interval in minutes, or null if the number is indefinite, as in "every few hours". */
export const intervalMinutes = (words: string): number | null => {
  const text = words.toLowerCase()
  if (/полчаса/u.test(text)) return 30
  const unit = /h(?:ou)?r|h$|시간|час/u.test(text) ? 60 : 1
  const extra = /and a half|(?:시간|분) ?반/u.test(text) ? unit / 2 : 0
  const own = text.replace(/,? ?and a half/u, "")
    .replace(/^(?:every|each|once|кажд[а-я]+|(?:один )?раз в|매) ?/u, "")
    .replace(/[ -]?(?:minutes?|mins?|hours?|hrs?|h|m|minute|hourly|분.*|시간.*|минут.*|мин|час.*|ежечасно)$/u, "")
    .trim()
  if (own === "" || own === "per") return unit + extra
  const whole = numberOf(own)
  if (whole !== null) return whole * unit + extra
  const parts = own.split(/ (?:of )?/u).filter((part) => part !== "a" && part !== "an" && part !== "of")
  const [part] = parts
  const count = parts.length === 1 && part !== undefined ? numberOf(part) : null
  return count === null ? null : count * unit + extra
}
