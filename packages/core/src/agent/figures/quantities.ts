import type { StatedNumber } from "./numbers.ts"

const durations =
  "(?:h|hrs?|hours?|d|days?|w|wks?|weeks?|m|mins?|minutes?|mo|months?|y|yrs?|years?|s|secs?|seconds?|quarters?)(?![a-z])|" +
  "시간|분(?!의)|초|거래일|영업일|일(?!반)|주(?:간|일|차)|개월|달(?!러)|년|분기|" +
  "(?:ч|час[а-я]{0,3}|м|мин[а-я]{0,3}|сек[а-я]{0,3}|д|дн[а-я]{0,3}|день|дня|нед[а-я]{0,4}|н|мес[а-я]{0,5}|г|" +
  "год[а-я]{0,2}|лет)(?![а-я])"
const ordinals = "(?:st|nd|rd|th)(?![a-z])|-?(?:й|я|е|го|му|ый|ая|ое|ом|ых|х)(?![а-я])|위|번째|차(?!익)|호"
const deltas = "[ -]?(?:delta|델타|дельт)"

/** Matches after a number that counts time, is an ordinal or a delta, or is a part of a word. */
const nameAfter = new RegExp(
  `(?:[~–-]\\d{1,3})?[ \\u00a0-]?(?:${durations})|${ordinals}|${deltas}|[-\\u2011]?\\p{Script=Latin}|-\\p{Script=Cyrillic}`,
  "iuy"
)

const averages = "EMA|SMA|WMA|DMA|MA|ЕМА|이평|이동평균"
const averageBefore = new RegExp(`(?:^|[^\\p{L}])(?:${averages})선?[ \\u00a0]?[([]?$`, "iu")
const averageAfter = new RegExp(`^[ \\u00a0-]?(?:(?:bar|day|period|일|봉)[ -]?)?(?:${averages})`, "iu")
const oscillators = "RSI|ATR|ADX|CCI|MFI|ROC|MACD|Stoch[a-z]{0,8}|Bollinger[a-z ]{0,7}"
const oscillatorBefore = new RegExp(`\\b(?:${oscillators})(?:[ \\u00a0]?[([][\\d, ]{0,8}|[ \\u00a0])$`, "iu")
const commonPeriods: ReadonlySet<number> = new Set([7, 9, 12, 14, 20, 21, 26])
/** Matches between the members of a list of periods: `EMA 20 / 50 / 200`. */
const listGap = /^ ?[/,·] ?$/

const rankingBefore = /(?:\b(?:top|bottom)|топ|상위|하위|제)[ \u00a0-]?$/iu
const titleBefore =
  /(?:S&P|Nasdaq|KOSPI|KOSDAQ|Russell|Dow|Nikkei|FTSE|DAX|CSI|Stoxx|나스닥|코스피|코스닥|[№#])[ \u00a0-]?$/iu

const thresholdContext = /RSI|ADX|stoch|MFI|과매[수도]|перекуп|перепрод|overbought|oversold|altseason|알트|альтсезон/iu
const thresholds: ReadonlySet<number> = new Set([20, 25, 30, 50, 70, 75, 80])
const confidenceContext =
  /interval|confiden|at risk|\bVaR\b|\bband\b|outcomes|신뢰|구간|위험|довер|интервал|полос|исход|риск/iu
const confidences: ReadonlySet<number> = new Set([50, 68, 80, 90, 95, 99])
const moveContext = /move|움직|변동|движени|изменени/iu

/** Returns whether a number is a common bound: the end of a scale, an indicator's threshold or a confidence level. */
const isConvention = (prose: string, { offset, text, unit }: StatedNumber, value: number): boolean => {
  if (value === 0 || value === 100) return unit === "plain" || (unit === "percent" && value === 100)
  const context = prose.slice(Math.max(0, offset - 40), offset + text.length + 40)
  if (unit === "percent") {
    return (confidences.has(value) && confidenceContext.test(context)) || (value === 1 && moveContext.test(context))
  }
  return unit === "plain" && thresholds.has(value) && thresholdContext.test(context)
}

/**
 * Returns the numbers of a text that state quantities. Omits names and parameters: ordinals, lengths of time, periods
 * of indicators, names of indices, and common bounds such as RSI 70.
 *
 * @param prose the text, masked by `maskNames`
 * @param names numbers that are names in the results, such as the keys of an object
 */
export const selectQuantities = (
  prose: string,
  numbers: ReadonlyArray<StatedNumber>,
  names: ReadonlySet<number>
): ReadonlyArray<StatedNumber> => {
  let lastPeriodEnd = -1
  return numbers.filter((number) => {
    const { digits, offset, scale, sign, text, unit } = number
    const value = number.readings[0]?.value ?? 0
    const end = offset + text.length
    const before = prose.slice(Math.max(0, offset - 24), offset)
    nameAfter.lastIndex = end
    if (unit === "plain" && scale === 1 && nameAfter.test(prose)) return false
    // A code such as 005930
    if (/^0\d+$/.test(digits)) return false
    // The bounds of a probability that is almost 0 or 1
    if (unit === "percent" && /[<>] ?$/.test(before) && (value === 0.1 || value === 99.9)) return false
    if (scale !== 1 || !/^\d{1,4}$/.test(digits)) return true
    const isPlain = unit === "plain" && sign === 0
    const isPeriod = isPlain && (averageBefore.test(before) || averageAfter.test(prose.slice(end, end + 24)) ||
      (oscillatorBefore.test(before) && (commonPeriods.has(value) || /[([][\d, ]{0,8}$/.test(before))) ||
      (lastPeriodEnd >= 0 && listGap.test(prose.slice(lastPeriodEnd, offset))) ||
      names.has(value))
    if (isPeriod) lastPeriodEnd = end
    return !isPeriod && !isConvention(prose, number, value) && !rankingBefore.test(before) &&
      !(isPlain && (titleBefore.test(before) || (value === 52 && prose.startsWith("주", end))))
  })
}
