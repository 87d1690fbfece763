import { ask, type Intent } from "../intent.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import { questions } from "./questions.ts"

const asks = rule(
  "liquidations?|liquidated|liquidate|rekt|liq(?:s| map)?|wiped out|where (?:is|are) .{0,20}leverage|leverage (?:above|below)|(?:shorts?|longs?) (?:are |getting |get )*squeez\\w*",
  "청산|강제\\s?청산|숏\\s?스퀴즈|롱\\s?스퀴즈",
  "ликвид(?:аци|иров|ну|нул)|ликвиднул|ликвидир|вынос (?:лонг|шорт)|сквиз"
)

export const asksSide = rule("longs?|shorts?|(?:which|what) side", "롱|숏|어느 쪽", "лонг|шорт|какую сторону|кого")

const said = {
  longs: text(
    "In the last hour more longs than shorts of {name} were liquidated: {long} of longs, {short} of shorts.",
    "최근 1시간 {name} 청산은 롱이 더 많습니다. 롱 {long}, 숏 {short}.",
    "За последний час по {name} больше ликвидировали лонги: лонгов {long}, шортов {short}."
  ),
  shorts: text(
    "In the last hour more shorts than longs of {name} were liquidated: {short} of shorts, {long} of longs.",
    "최근 1시간 {name} 청산은 숏이 더 많습니다. 숏 {short}, 롱 {long}.",
    "За последний час по {name} больше ликвидировали шорты: шортов {short}, лонгов {long}."
  ),
  longsOver: text(
    "Over {hours} hours more longs than shorts of {name} were liquidated: {long} of longs, {short} of shorts (above {bound} each).",
    "최근 {hours}시간 {name} 청산은 롱이 더 많습니다. 롱 {long}, 숏 {short}(건당 {bound} 초과).",
    "За {hours} ч по {name} больше ликвидировали лонги: лонгов {long}, шортов {short} (каждая больше {bound})."
  ),
  shortsOver: text(
    "Over {hours} hours more shorts than longs of {name} were liquidated: {short} of shorts, {long} of longs (above {bound} each).",
    "최근 {hours}시간 {name} 청산은 숏이 더 많습니다. 숏 {short}, 롱 {long}(건당 {bound} 초과).",
    "За {hours} ч по {name} больше ликвидировали шорты: шортов {short}, лонгов {long} (каждая больше {bound})."
  ),
  largest: text(
    "Largest one: {size} ({side}) at {price}.",
    "최대 건: {size}({side}), 가격 {price}.",
    "Крупнейшая: {size} ({side}) по {price}."
  ),
  total: text(
    "Large ones over {hours} hours: longs {long}, shorts {short} ({count} events above {bound}).",
    "최근 {hours}시간 대형 청산: 롱 {long}, 숏 {short}({bound} 초과 {count}건).",
    "Крупные за {hours} ч: лонги {long}, шорты {short} (событий больше {bound}: {count})."
  ),
  quiet: text(
    "No liquidation above {bound} within {hours} hours.",
    "최근 {hours}시간 동안 {bound} 초과 청산은 없습니다.",
    "За {hours} ч ликвидаций больше {bound} не было."
  ),
  above: text(
    "Above (modelled): shorts from {price}, {sum} within 5%.",
    "위쪽(모형 추정): {price}부터 숏, 5% 이내 {sum}.",
    "Выше (модель): шорты от {price}, в пределах 5% {sum}."
  ),
  below: text(
    "Below (modelled): longs from {price}, {sum} within 5%.",
    "아래쪽(모형 추정): {price}부터 롱, 5% 이내 {sum}.",
    "Ниже (модель): лонги от {price}, в пределах 5% {sum}."
  ),
  change: text(
    "A move into the heavier side of the map feeds on itself; open interest falling first would drain that fuel.",
    "지도에서 더 무거운 쪽으로 움직이면 청산이 청산을 부릅니다. 그 전에 미결제약정이 줄면 연료가 빠집니다.",
    "Движение в более тяжелую сторону карты подпитывает само себя; если раньше упадет открытый интерес, топлива не останется."
  ),
  why: text(
    "What was liquidated is fact; the map is an estimate with stated leverage, so I use it for direction and not for exact prices.",
    "청산 내역은 사실이고 지도는 가정된 레버리지에 따른 추정이라, 정확한 가격보다 방향을 보는 데 씁니다.",
    "Прошедшие ликвидации это факт, карта лишь оценка с заданными плечами, поэтому она для направления, а не для точных цен."
  )
}

const within = 5

export const liquidations: Intent = {
  name: "liquidations",
  usual: ["BTC", "ETH"],
  spans: true,
  reads: [
    rule(
      "clusters?|above|below|price|longs?|shorts?|sides?|hit|mostly",
      "롱|숏|구간|위|아래",
      "скоплен|выше|ниже|цен|лонг|шорт"
    ),
    asks
  ],
  asked: ({ lines, named, words }) =>
    asks.test(words) ||
    // "Longs or shorts mostly?" after a question about liquidations.
    (!named && asksSide.test(words) && words.split(" ").length <= 6 &&
      lines.slice(-3, -1).some((line) => asks.test(line))),
  over: ["price", "trend", "openInterest", "levels", "probability"],
  plan: (reading) => {
    const coin = coinOf(reading)
    const hours = Math.min(720, Math.max(1, Math.round((reading.horizonSpokenOf?.minutes ?? 1_440) / 60)))
    return [
      ask("get_liquidations", { coin }),
      ask("get_liquidations_history", { coin, hours }),
      ask("get_liquidation_map", { coin })
    ]
  },
  write: (reading, found, { format, lang, say }) => {
    const name = coinOf(reading)
    const hour = found.of("get_liquidations", { coin: name })
    const history = found.of("get_liquidations_history", { coin: name })
    const asked = found.came("get_liquidations_history", { coin: name })?.arguments?.["hours"]
    const map = found.of("get_liquidation_map", { coin: name })
    const sums = map.list("cumulative_usd").find((sum) => sum.num("within_pct") === within)
    const values = { name, long: format.bigUsd(hour.num("long_usd")), short: format.bigUsd(hour.num("short_usd")) }
    const hours = typeof asked === "number" ? format.count(asked) : null
    const bound = format.bigUsd(history.num("min_size_usd"))
    const totals = [history.num("totals.long_usd"), history.num("totals.short_usd")] as const
    const [longs, shorts] = totals
    // A question about more than an hour is answered with the sums of its hours.
    const isOver = (reading.horizonSpokenOf?.minutes ?? 0) > 60 && longs !== null && shorts !== null &&
      longs + shorts > 0
    const over = isOver
      ? say(longs > shorts ? said.longsOver : said.shortsOver, {
        name,
        hours,
        long: format.bigUsd(longs),
        short: format.bigUsd(shorts),
        bound
      })
      : null
    const now = say((hour.num("skew") ?? 0) > 0 ? said.shorts : said.longs, values)
    return {
      verdict: over ?? now,
      evidence: [
        over === null ? null : now,
        say(said.largest, {
          size: format.bigUsd(hour.num("largest.size_usd")),
          side: wordOf(lang, hour.str("largest.side")),
          price: format.usd(hour.num("largest.price"))
        }),
        history.num("totals.count") === 0
          ? say(said.quiet, { hours, bound })
          : say(said.total, {
            hours,
            long: format.bigUsd(history.num("totals.long_usd")),
            short: format.bigUsd(history.num("totals.short_usd")),
            count: format.count(history.num("totals.count")),
            bound
          }),
        say(said.above, {
          price: format.usd(map.num("nearest_above.price")),
          sum: format.bigUsd(sums?.num("above") ?? null)
        }),
        say(said.below, {
          price: format.usd(map.num("nearest_below.price")),
          sum: format.bigUsd(sums?.num("below") ?? null)
        })
      ],
      change: say(said.change, {}),
      why: say(said.why, {})
    }
  },
  next: [
    questions.funding,
    questions.levels,
    text(
      "Draw a chart of {name} with liquidations",
      "{name} 차트를 청산 구간과 함께 그려 주세요",
      "Построй график {name} с ликвидациями"
    )
  ]
}
