import type { Findings } from "../Findings.ts"
import { ask, type Desk, type Intent } from "../intent.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { levelsAround } from "./nearest.ts"
import { questions } from "./questions.ts"

const asksTrend = rule(
  "trends?|uptrend|downtrend|trending (?:up|down)|rolling over|outlook|views?|analysis|analy[sz]e|thoughts|opinion|bullish|bearish|direction|momentum|forecast|should i (?:buy|sell|enter|hold|short|long)|good (?:time|moment|entry)|(?:buy|sell|long|short) (?:now|here)|how is|how's|how does .* look|look(?:s|ing)? like|setup|technicals?|going on with|overbought|oversold|worth buying|dca|accumulat(?:e|ing)|buy the dip|life savings|all[- ]in|bottomed|topped|ape in|bad idea to|long or short|holding up|doing",
  "추세|전망|분석|방향|의견|어때|어떻게 보|어떤가|살까|팔까|사도|매수해|매도해|들어가도|진입해|강세|약세|모멘텀|상황|흐름|과매수|과매도|자리|분할\\s?매수|물타|몰빵|전재산|타도|매수각|숏각|롱각|괜찮|들어가|갈만|시황|브리핑",
  "тренд|прогноз|анализ|проанализ|мнени|взгляд|направлени|настро|как дела|что с |что думае|как выглядит|картин|стоит ли|покупать|продавать|пора ли|брать ли|бычий|медвеж|импульс|перекуплен|перепродан|заходить|докуп|усредн|набирать|вложить|вкладыва|на всю котлету|держит|как (?:там|сегодня|сейчас|ведет)|лонг или шорт"
)
export const asksIndicators = rule(
  "rsi|macd|ema|(?:200|100|50|20) ?(?:d?ma|day)|moving averages?|bollinger(?: bands?)?|bb|stoch(?:astics?)?|adx|atr|(?:average|avg) true range|indicators?",
  "rsi|macd|ema|이동평균|이평|볼린저|볼밴|스토캐스틱|(?<!경제\\s?)지표",
  "rsi|macd|ema|atr|атр|ема|скользящ|боллинджер|стохастик|индикатор|осциллятор"
)

const said = {
  verdict: text(
    "{name} leans {bias}: score {score} of ±100, price {price} ({change} in 24 hours).",
    "{name}의 현재 방향은 {bias}입니다. 점수 {score}(±100), 현재가 {price}, 24시간 {change}.",
    "По {name} уклон {bias}: балл {score} из ±100, цена {price} (за 24 часа {change})."
  ),
  neutral: text(
    "{name} has no clear lean: score {score} of ±100, price {price} ({change} in 24 hours).",
    "{name}: 뚜렷한 방향이 없습니다. 점수 {score}(±100), 현재가 {price}, 24시간 {change}.",
    "По {name} явного уклона нет: балл {score} из ±100, цена {price} (за 24 часа {change})."
  ),
  plain: text(
    "{name} on {tf} bars: RSI {rsi}, close {close}.",
    "{name} {tf}봉: RSI {rsi}, 종가 {close}.",
    "{name} на {tf}: RSI {rsi}, закрытие {close}."
  ),
  range: text(
    "The ATR(14) of {name} on {tf} bars is {atr}, {share} of the price.",
    "{name} {tf}봉 ATR(14)는 {atr}, 가격의 {share}입니다.",
    "ATR(14) {name} на {tf}: {atr}, это {share} от цены."
  ),
  aboveMean: text(
    "{name} at {price} is above its {period}-bar EMA on {tf} ({mean}).",
    "{name} 현재가 {price}는 {tf}봉 EMA {period}({mean}) 위에 있습니다.",
    "{name} по {price} выше EMA {period} на {tf} ({mean})."
  ),
  belowMean: text(
    "{name} at {price} is below its {period}-bar EMA on {tf} ({mean}).",
    "{name} 현재가 {price}는 {tf}봉 EMA {period}({mean}) 아래에 있습니다.",
    "{name} по {price} ниже EMA {period} на {tf} ({mean})."
  ),
  rsi: text(
    "{tf}: RSI(14) {rsi}, ADX(14) {adx}, MACD histogram {histogram}.",
    "{tf}봉: RSI(14) {rsi}, ADX(14) {adx}, MACD 히스토그램 {histogram}.",
    "{tf}: RSI(14) {rsi}, ADX(14) {adx}, гистограмма MACD {histogram}."
  ),
  overbought: text(
    "{name} is overbought on {tf}: RSI(14) {rsi}, above 70.",
    "{name} {tf}봉은 과매수입니다. RSI(14) {rsi}로 70을 넘습니다.",
    "{name} на {tf} перекуплен: RSI(14) {rsi}, выше 70."
  ),
  oversold: text(
    "{name} is oversold on {tf}: RSI(14) {rsi}, below 30.",
    "{name} {tf}봉은 과매도입니다. RSI(14) {rsi}로 30 아래입니다.",
    "{name} на {tf} перепродан: RSI(14) {rsi}, ниже 30."
  ),
  unstretched: text(
    "{name} is neither overbought nor oversold on {tf}: RSI(14) {rsi}, between 30 and 70.",
    "{name} {tf}봉은 과매수도 과매도도 아닙니다. RSI(14) {rsi}로 30과 70 사이입니다.",
    "{name} на {tf} не перекуплен и не перепродан: RSI(14) {rsi}, между 30 и 70."
  ),
  hot: text(
    "RSI above 70: overbought, so late buyers pay up.",
    "RSI가 70을 넘어 과매수 구간이라 추격 매수는 불리합니다.",
    "RSI выше 70: перекупленность, покупать вдогонку невыгодно."
  ),
  cold: text(
    "RSI below 30: oversold, bounces are common.",
    "RSI가 30 아래로 과매도 구간이라 반등이 잦습니다.",
    "RSI ниже 30: перепроданность, отскоки здесь часты."
  ),
  stochastic: text("Stochastic: %K {k}, %D {d}.", "스토캐스틱: %K {k}, %D {d}.", "Стохастик: %K {k}, %D {d}."),
  ema: text(
    "EMA 20 / 50 / 200: {e20} / {e50} / {e200}.",
    "EMA 20 / 50 / 200: {e20} / {e50} / {e200}.",
    "EMA 20 / 50 / 200: {e20} / {e50} / {e200}."
  ),
  bands: text(
    "Bollinger bands: {lower} to {upper}; ATR {atr}.",
    "볼린저 밴드: {lower} ~ {upper}, ATR {atr}.",
    "Полосы Боллинджера: от {lower} до {upper}; ATR {atr}."
  ),
  funding: text(
    "Funding {rate} per {hours} h, open interest {oi} in 24 hours (in coins).",
    "펀딩비 {rate}({hours}시간), 미결제약정 24시간 {oi}(코인 기준).",
    "Фандинг {rate} за {hours} ч, открытый интерес за 24 часа {oi} (в монетах)."
  ),
  levels: text(
    "Nearest support {support}, nearest resistance {resistance}.",
    "가까운 지지선 {support}, 저항선 {resistance}.",
    "Ближайшая поддержка {support}, сопротивление {resistance}."
  ),
  support: text(
    "Nearest support {support}; no resistance stands above on these bars.",
    "가까운 지지선 {support}, 위로는 뚜렷한 저항선이 없습니다.",
    "Ближайшая поддержка {support}; сверху на этих барах сопротивлений нет."
  ),
  resistance: text(
    "Nearest resistance {resistance}; no support stands below on these bars.",
    "가까운 저항선 {resistance}, 아래로는 뚜렷한 지지선이 없습니다.",
    "Ближайшее сопротивление {resistance}; снизу на этих барах поддержек нет."
  ),
  below: text(
    "A close below {level} would weaken this view; a score on the other side of zero would turn it.",
    "{level} 아래에서 마감하면 이 판단은 약해지고, 점수가 0 반대편으로 넘어가면 뒤집힙니다.",
    "Закрытие ниже {level} ослабит этот взгляд; балл по другую сторону нуля развернет его."
  ),
  above: text(
    "A close above {level} would weaken this view; a score on the other side of zero would turn it.",
    "{level} 위에서 마감하면 이 판단은 약해지고, 점수가 0 반대편으로 넘어가면 뒤집힙니다.",
    "Закрытие выше {level} ослабит этот взгляд; балл по другую сторону нуля развернет его."
  ),
  between: text(
    "A close above {resistance} or below {support} would give a direction.",
    "{resistance} 위나 {support} 아래에서 마감하면 방향이 정해집니다.",
    "Закрытие выше {resistance} или ниже {support} задаст направление."
  ),
  stanceNone: text(
    "The score gives no reason for a trade in either direction now.",
    "지금은 점수상 어느 방향으로도 매매할 근거가 없습니다.",
    "Балл сейчас не даёт повода для сделки ни в одну сторону."
  ),
  stanceUp: text(
    "The score favours longs over shorts now.",
    "지금은 점수상 숏보다 롱이 유리합니다.",
    "Балл сейчас скорее за лонг, чем за шорт."
  ),
  stanceDown: text(
    "The score favours shorts over longs now.",
    "지금은 점수상 롱보다 숏이 유리합니다.",
    "Балл сейчас скорее за шорт, чем за лонг."
  ),
  advice: text(
    "Whether to trade is yours to decide: nothing here is certain, so size by your stop.",
    "매매 여부는 본인의 판단입니다. 확실한 것은 없으니 손절 폭에 맞춰 규모를 정하세요.",
    "Решение о сделке за вами: гарантий нет, размер позиции считайте от стопа."
  ),
  why: text(
    "The score weighs trend, momentum and positioning; I trust it more when price stands above its averages and funding is not stretched, and less when RSI is extreme.",
    "점수는 추세·모멘텀·포지셔닝을 가중합한 값입니다. 가격이 이동평균 위에 있고 펀딩비가 과열이 아니면 더 신뢰하고, RSI가 극단이면 덜 신뢰합니다.",
    "Балл взвешивает тренд, импульс и позиции; я доверяю ему больше, когда цена выше средних и фандинг не перегрет, и меньше при крайнем RSI."
  )
}

const decides = rule(
  "should i|good time|worth|buy now|sell now|dca|bad idea|life savings|all[- ]in|ape in|a buy|a sell|long or short",
  "쳐도|살까|팔까|사도|매수해|매도해|들어가|진입해|분할\\s?매수|물타|몰빵|전재산|자리|매수각|괜찮",
  "стоит ли|покупать|продавать|пора ли|брать ли|заходить|докуп|усредн|вложить|вкладыва"
)

const frameFor = ({ frame, horizon }: Reading): string => {
  if (frame !== null) return frame
  if (horizon === null) return "4h"
  return horizon.minutes <= 240 ? "15m" : horizon.minutes <= 1_440 ? "1h" : horizon.minutes <= 10_080 ? "4h" : "1d"
}

/** Returns the time frames of a question; an average of days without a frame is one of daily candles. */
const framesFor = (reading: Reading): ReadonlyArray<string> =>
  reading.frames.length > 1
    ? reading.frames.slice(0, 3)
    : [reading.frame === null && averageOf(reading) !== null ? "1d" : frameFor(reading)]

/** Returns the period of the moving average that a question compares with the price: 20, 50, 200 or null. */
const averageOf = ({ words }: Reading): string | null =>
  /(?<![\d.])(200|20|50)[ -]?(?:일|day|d)?[ -]?(?:moving|ema|ma|sma|이평|이동|ема|скользящ)|(?:ema|ma|ема)[ -]?\(?(200|20|50)(?!\d)/u
    .exec(words)
    ?.slice(1).find((period) => period !== undefined) ?? null

/** The periods and bounds of the indicators in an answer. */
const indicatorNumbers: ReadonlyArray<number> = [14, 20, 50, 200, 30, 70]

const indicatorLines = (reading: Reading, found: Findings, { format, say }: Desk, tf = frameFor(reading)) => {
  const coin = coinOf(reading)
  const data = found.of("get_indicators", { coin, tf })
  const rsi = data.num("rsi")
  return {
    data,
    tf,
    lines: [
      say(said.rsi, {
        tf: format.frame(tf),
        rsi: format.fixed(rsi, 1),
        adx: format.fixed(data.num("adx"), 1),
        histogram: format.signed(data.num("macd.histogram"))
      }),
      rsi !== null && rsi > 70 ? say(said.hot, {}) : rsi !== null && rsi < 30 ? say(said.cold, {}) : null,
      say(said.ema, {
        e20: format.usd(data.num("ema.20")),
        e50: format.usd(data.num("ema.50")),
        e200: format.usd(data.num("ema.200"))
      })
    ]
  }
}

const asksRange = rule("atr|(?:average|avg) true range", "atr", "atr|атр")
const ofStochastic = rule("stoch\\w*", "스토캐스틱", "стохастик")
const asksStretched = rule("overbought|oversold|overextended", "과매수|과매도|과열", "перекуплен|перепродан|перегрет")

/** Returns whether the RSI is overbought or oversold, or null if the question does not ask. */
const stretch = (reading: Reading, found: Findings, { format, say }: Desk): string | null => {
  if (!asksStretched.test(reading.words)) return null
  const name = coinOf(reading)
  const tf = frameFor(reading)
  const rsi = found.of("get_indicators", { coin: name, tf }).num("rsi")
  const values = { name, tf: format.frame(tf), rsi: format.fixed(rsi, 1) }
  return rsi === null ? null : say(rsi > 70 ? said.overbought : rsi < 30 ? said.oversold : said.unstretched, values)
}

const levelLine = (reading: Reading, found: Findings, { format, say }: Desk) => {
  const levels = found.of("get_levels", { coin: coinOf(reading) })
  const { above, below } = levelsAround(levels, found.of("get_price", { coin: coinOf(reading) }).num("price"))
  const support = format.usd(below[0] ?? null)
  const resistance = format.usd(above[0] ?? null)
  return {
    support,
    resistance,
    line: say(said.levels, { support, resistance }) ?? say(said.support, { support }) ??
      say(said.resistance, { resistance })
  }
}

const next = [
  questions.probability,
  text(
    "Draw a 4h chart of {name} with levels",
    "{name} 4시간봉 차트를 지지·저항과 함께 그려 주세요",
    "Построй график {name} 4h с уровнями"
  ),
  questions.liquidations
]

const asksChange = rule("rate of change", "변동률|수익률", "процент изменени")

export const trend: Intent = {
  name: "trend",
  reads: [
    rule("holding|floor|watch|next|overall", "시황|요약|지금", "держит|стоит"),
    rule(
      "outlook|long|short|buy|sell|enter|now|here|bull\\w*|bear\\w*",
      "롱|숏|매수|매도|진입|상승|하락",
      "лонг|шорт|купить|продать|рост|паден|восходящ"
    ),
    asksTrend,
    decides,
    asksStretched
  ],
  spans: true,
  general: true,
  over: ["price"],
  asked: ({ coins, horizon, stocks, words }) =>
    asksTrend.test(words) && coins.length > 0 && stocks.length === 0 && !(horizon !== null && asksChange.test(words)),
  plan: (reading) => {
    const coin = coinOf(reading)
    return [
      ask("get_price", { coin }),
      ask("get_score", { coin }),
      ask("get_indicators", { coin, tf: frameFor(reading) }),
      ask("get_levels", { coin }),
      ask("get_derivatives", { coin })
    ]
  },
  write: (reading, found, desk) => {
    const { format, lang, say } = desk
    const name = coinOf(reading)
    const price = found.of("get_price", { coin: name })
    const score = found.of("get_score", { coin: name })
    const derivatives = found.of("get_derivatives", { coin: name })
    const { line, resistance, support } = levelLine(reading, found, desk)
    const { lines } = indicatorLines(reading, found, desk)
    const stretched = stretch(reading, found, desk)
    const leaning = say(score.str("bias") === "neutral" ? said.neutral : said.verdict, {
      name,
      bias: wordOf(lang, score.str("bias")),
      score: format.fixed(score.num("score"), 1),
      price: format.usd(price.num("price")),
      change: format.change(price.num("change_24h_pct"))
    })
    const bearish = (score.num("score") ?? 0) < 0
    const bias = score.str("bias")
    const stance = !decides.test(reading.words) || bias === null
      ? null
      : say(bias === "bullish" ? said.stanceUp : bias === "bearish" ? said.stanceDown : said.stanceNone, {})
    return {
      verdict: stretched ?? (stance === null || leaning === null ? leaning : `${stance} ${leaning}`),
      evidence: [
        stretched === null ? null : leaning,
        ...lines,
        say(said.funding, {
          rate: format.rate(derivatives.num("funding_rate_pct")),
          hours: format.count(derivatives.num("funding_interval_hours")),
          oi: format.change(derivatives.num("oi_change_24h_coin_pct"))
        }),
        line,
        decides.test(reading.words) ? say(said.advice, {}) : null
      ],
      change: (score.str("bias") === "neutral" ? say(said.between, { support, resistance }) : null) ??
        (bearish ? say(said.above, { level: resistance }) : say(said.below, { level: support })),
      why: say(said.why, {})
    }
  },
  next
}

export const indicators: Intent = {
  name: "indicators",
  reads: [
    rule("above|below|bars?|candles?|line|signal|d?ma|day|bands?|indicators?", "봉|위|아래|선", "свеч|выше|ниже|линия"),
    asksIndicators,
    asksStretched
  ],
  spans: true,
  numbers: () => indicatorNumbers,
  asked: ({ words }) => asksIndicators.test(words),
  over: ["trend", "price"],
  plan: (reading) => {
    const coin = coinOf(reading)
    return [...framesFor(reading).map((tf) => ask("get_indicators", { coin, tf })), ask("get_price", { coin })]
  },
  write: (reading, found, desk) => {
    const { format, say } = desk
    const name = coinOf(reading)
    const { data, lines, tf } = indicatorLines(reading, found, desk, framesFor(reading)[0])
    const lower = format.usd(data.num("bollinger.lower"))
    const price = found.of("get_price", { coin: name }).num("price") ?? data.num("close")
    const [, ...others] = framesFor(reading)
    const average = averageOf(reading)
    const mean = average === null ? null : data.num(`ema.${average}`)
    const values = {
      name,
      tf: format.frame(tf),
      period: average,
      mean: format.usd(mean),
      price: format.usd(price)
    }
    const range = asksRange.test(reading.words)
      ? say(said.range, {
        name,
        tf: values.tf,
        atr: format.usd(data.num("atr")),
        share: format.percent(price === null ? null : 100 * (data.num("atr") ?? 0) / price)
      })
      : null
    return {
      verdict: range ?? say((price ?? 0) > (mean ?? 0) ? said.aboveMean : said.belowMean, values) ?? say(said.plain, {
        name,
        tf: format.frame(tf),
        rsi: format.fixed(data.num("rsi"), 1),
        close: format.usd(data.num("close"))
      }),
      evidence: [
        ofStochastic.test(reading.words)
          ? say(said.stochastic, {
            k: format.fixed(data.num("stochastic.k"), 1),
            d: format.fixed(data.num("stochastic.d"), 1)
          })
          : null,
        ...lines,
        ...others.flatMap((frame) => indicatorLines(reading, found, desk, frame).lines),
        say(said.bands, {
          lower,
          upper: format.usd(data.num("bollinger.upper")),
          atr: format.usd(data.num("atr"))
        })
      ],
      change: say((price ?? 0) < (data.num("ema.50") ?? 0) ? said.above : said.below, {
        level: format.usd(data.num("ema.50"))
      }),
      why: say(said.why, {})
    }
  },
  next
}
