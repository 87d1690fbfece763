import type { Findings } from "../Findings.ts"
import { ask, type Desk, type Intent, type Planned } from "../intent.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { ownTradeOf, type Trade, tradeOf } from "../reading/trade.ts"
import { text } from "../writing/text.ts"
import { wordOf } from "../writing/vocabulary.ts"
import {
  calculationOf,
  calculationWords,
  coinIn,
  directionOf,
  entryOrPrice,
  falls,
  howMuch,
  inWon,
  isDollarsInWon,
  levelOf,
  ofTrade,
  otherCoinsOf,
  rises,
  satoshis,
  usedNumbers
} from "./calculation.ts"
import { questions } from "./questions.ts"

const said = {
  cross: text(
    "One {a} is {rate} {b} ({price} against {other}).",
    "1 {a} = {rate} {b}입니다({price}, {other}).",
    "1 {a} = {rate} {b} ({price} и {other})."
  ),
  liquidation: text(
    "A {leverage}x {side} of {coin} from {entry} is liquidated near {price}, {distance} away.",
    "{coin} {entry} 진입 {leverage}배 {side}의 청산가는 약 {price}(거리 {distance})입니다.",
    "{side} {coin} с {entry} и плечом {leverage}x ликвидируется около {price}, это {distance} от входа."
  ),
  liquidationRule: text(
    "Isolated margin, maintenance margin 0.5 %, without fees. Exchanges differ.",
    "격리 마진, 유지 증거금 0.5%, 수수료 제외 기준이며 거래소마다 다릅니다.",
    "Изолированная маржа, поддерживающая 0,5 %, без комиссий. У бирж правила разные."
  ),
  ratio: text(
    "Reward to risk is {r}: {reward} to the target against {risk} to the stop.",
    "손익비는 {r}입니다. 목표까지 {reward}, 손절까지 {risk}.",
    "Соотношение прибыли к риску {r}: до цели {reward}, до стопа {risk}."
  ),
  ratioRate: text(
    "It pays if more than {rate} of such trades reach the target, before costs.",
    "비용을 빼면 이런 매매의 {rate} 이상이 목표에 도달해야 이익입니다.",
    "Без учёта издержек это выгодно, если цели достигает больше {rate} таких сделок."
  ),
  leverage: text(
    "With a stop {stop} away, keep the leverage below {max}x: at {max}x the liquidation price is near the stop.",
    "손절 폭이 {stop}라면 레버리지는 {max}배 미만이어야 합니다. {max}배에서는 청산가가 손절가와 비슷합니다.",
    "При стопе в {stop} плечо должно быть меньше {max}x: при {max}x цена ликвидации рядом со стопом."
  ),
  leverageHalf: text(
    "Half of it, {half}x, leaves room. Leverage does not change the risk: size times the distance to the stop does.",
    "그 절반인 {half}배면 여유가 있습니다. 위험은 레버리지가 아니라 규모와 손절 폭이 정합니다.",
    "Половина, {half}x, оставляет запас. Риск зависит не от плеча, а от размера и расстояния до стопа."
  ),
  leverageAsk: text(
    "Leverage follows from the stop: tell me the entry and the stop, or how far the stop is, as in “stop 4% away”.",
    "레버리지는 손절 폭에서 나옵니다. 진입가와 손절가, 또는 “손절 4%”처럼 손절 폭을 알려 주세요.",
    "Плечо следует из стопа: назовите вход и стоп или расстояние до стопа, например «стоп 4%»."
  ),
  gain: text(
    "{quantity} {coin} from {entry} to {target}: {gain} ({change}).",
    "{coin} {quantity}개, {entry} → {target}: {gain}({change}).",
    "{quantity} {coin} с {entry} до {target}: {gain} ({change})."
  ),
  gainShare: text(
    "From {entry} to {target} is {change}{times}.",
    "{entry} → {target}는 {change}{times}입니다.",
    "С {entry} до {target} это {change}{times}."
  ),
  withLeverage: text(
    "If {margin} is the margin at {leverage}x, it is {gain} ({change} of the margin), before liquidation.",
    "{margin}이(가) {leverage}배 증거금이라면 {gain}(증거금 대비 {change})입니다(청산 전 기준).",
    "Если {margin} это маржа при плече {leverage}x, то {gain} ({change} маржи), без учёта ликвидации."
  ),
  onMargin: text(
    ", {change} of the margin at {leverage}x",
    ", {leverage}배 증거금 대비 {change}",
    ", {change} маржи при плече {leverage}x"
  ),
  unrecorded: text(
    "This is from the numbers of your messages; the journal is not changed.",
    "메시지의 숫자로 계산했으며 매매일지는 바뀌지 않았습니다.",
    "Посчитано по числам из ваших сообщений; журнал не изменён."
  ),
  risk: text(
    "At the stop {stop} you lose {loss}: {quantity} {coin} times {distance}.",
    "손절 {stop}에서 손실은 {loss}입니다({coin} {quantity}개 × {distance}).",
    "По стопу {stop} убыток {loss}: {quantity} {coin} на {distance}."
  ),
  sizing: text(
    "Risking {risk} with the stop at {stop}: {quantity} {coin} from {entry}, worth {value}.",
    "손절 {stop}에서 {risk}만 잃으려면 {entry} 진입 기준 {coin} {quantity}개({value})입니다.",
    "Чтобы по стопу {stop} потерять {risk}: {quantity} {coin} с {entry}, на сумму {value}."
  ),
  worthIn: text(
    "{quantity} {coin} is worth {amount} {other}, or {value}.",
    "{coin} {quantity}개는 {other} {amount}개, 즉 {value}입니다.",
    "{quantity} {coin} это {amount} {other}, или {value}."
  ),
  noRate: text(
    "I know the rates of dollars and won only; other currencies are not converted.",
    "환율은 달러와 원화만 알고 있어 다른 통화로는 환산하지 않았습니다.",
    "Курсы есть только для долларов и вон; в другие валюты я не пересчитываю."
  ),
  share: text(
    "{percent} of the price of {coin} ({price}) is {value}.",
    "{coin} 가격({price})의 {percent}는 {value}입니다.",
    "{percent} от цены {coin} ({price}) это {value}."
  ),
  worth: text(
    "{quantity} {coin} is worth {value} at {price}.",
    "{coin} {quantity}개는 {value}입니다(가격 {price}).",
    "{quantity} {coin} это {value} по цене {price}."
  ),
  dollarsInWon: text(
    "{usd} is {won} at {rate} won per dollar.",
    "{usd}는 환율 {rate}원 기준 {won}입니다.",
    "{usd} это {won} по курсу {rate} вон за доллар."
  ),
  buys: text(
    "{money} is {quantity} {coin} at {price}, before fees.",
    "{money}로 {coin} {quantity}개를 살 수 있습니다(가격 {price}, 수수료 제외).",
    "{money} это {quantity} {coin} по цене {price}, без комиссий."
  ),
  satoshi: text("That is {n} satoshis.", "{n}사토시입니다.", "Это {n} сатоши."),
  carry: text(
    "Holding {money} of a {coin} perpetual for {days} days costs a long about {cost} of funding at the present rate of {rate}.",
    "{coin} 무기한 {money}를 {days}일 보유하면 현재 펀딩비 {rate} 기준 롱의 비용은 약 {cost}입니다.",
    "Держать бессрочный {coin} на {money} {days} дн. стоит лонгу около {cost} фандинга при нынешней ставке {rate}."
  ),
  breakeven: text(
    "The price must move {percent} to pay for it. The rate changes with each payment.",
    "가격이 {percent} 움직이면 상쇄됩니다. 펀딩비는 정산 때마다 바뀝니다.",
    "Чтобы окупить это, цена должна пройти {percent}. Ставка меняется при каждой выплате."
  )
}

/** Returns the call that calculates a liquidation price, with a stop halfway to a full loss of the margin. */
const liquidationCall = (reading: Reading, found: Findings): ReadonlyArray<Planned> => {
  const { leverage, side } = tradeOf(reading)
  const entry = entryOrPrice(reading, found)
  if (entry === null || leverage === null) return []
  const sign = side === "short" ? 1 : -1
  const stop = Number((entry * (1 + sign / leverage / 2)).toPrecision(8))
  return [ask("get_risk_sizing", { entry, stop, side: side ?? "long", leverage, account_usd: 1_000, risk_pct: 1 })]
}

const planOf = (reading: Reading, found: Findings): ReadonlyArray<Planned> => {
  const kind = calculationOf(reading)
  const coin = coinIn(reading)
  const trade = tradeOf(reading)
  const price = ask("get_price", { coin })
  switch (kind) {
    case "cross":
      return reading.coins.slice(0, 2).map((one) => ask("get_price", { coin: one }))
    case "ratio":
      return trade.entry === null ? [price] : []
    case "liquidation":
      return [...(trade.entry === null ? [price] : []), ...liquidationCall(reading, found)]
    case "leverage":
    case "risk":
      return []
    case "carry":
      return [ask("get_derivatives", { coin })]
    case "distance":
      return [price, ...(isWonLevel(reading) ? [ask("get_kr_market")] : [])]
    case "convert":
      if (isDollarsInWon(reading)) return [ask("get_kr_market")]
      return [
        price,
        ...otherCoinsOf(reading).map((other) => ask("get_price", { coin: other })),
        ...(trade.krw !== null || inWon.test(reading.words) ? [ask("get_kr_market")] : [])
      ]
    default:
      return [price]
  }
}

const writeGain = (reading: Reading, trade: Trade, price: number | null, { format, say }: Desk): string | null => {
  const from = trade.entry ?? price
  const { percent } = ownTradeOf(reading)
  const direction = directionOf(reading.words)
  const moved = price === null || percent === null || direction === 0 ? null : price * (1 + direction * percent / 100)
  const to = ownTradeOf(reading).target ?? moved ?? trade.target ?? price
  if (from === null || to === null) return null
  const sign = trade.side === "short" ? -1 : 1
  const change = sign * 100 * (to / from - 1)
  const quantity = trade.quantity ?? (trade.usd === null ? null : trade.usd / from)
  const values = {
    coin: coinIn(reading),
    quantity: format.plain(quantity),
    entry: format.usd(from),
    target: format.usd(to),
    gain: format.gainUsd(quantity === null ? null : sign * quantity * (to - from)),
    change: format.change(change),
    times: trade.leverage === null ? "" : say(said.onMargin, {
      change: format.change(change * trade.leverage),
      leverage: format.plain(trade.leverage)
    })
  }
  const leveraged = trade.usd === null || trade.leverage === null ? null : say(said.withLeverage, {
    margin: format.usd(trade.usd),
    leverage: format.plain(trade.leverage),
    gain: format.gainUsd(trade.usd * trade.leverage * change / 100),
    change: format.change(change * trade.leverage)
  })
  const whole = say(said.gain, values) ?? say(said.gainShare, values)
  return leveraged === null || whole === null ? whole : `${whole} ${leveraged}`
}

const writeConverted = (reading: Reading, found: Findings, { format, say }: Desk) => {
  if (isDollarsInWon(reading)) {
    const { usd } = ownTradeOf(reading)
    const rate = found.of("get_kr_market").num("usd_krw.rate") ?? found.of("get_kr_market").num("usd_krw")
    return [say(said.dollarsInWon, {
      usd: format.usd(usd),
      won: format.krw(usd === null || rate === null ? null : usd * rate),
      rate: format.number(rate)
    })]
  }
  const own = ownTradeOf(reading)
  const hasAmount = own.quantity !== null || own.usd !== null || own.krw !== null
  // "And in won?" repeats the amount of the question before.
  const trade = hasAmount ? own : { ...own, quantity: tradeOf(reading).quantity }
  const coin = coinIn(reading)
  const price = found.of("get_price", { coin }).num("price")
  const won = found.of("get_kr_market").num("usd_krw.rate") ?? found.of("get_kr_market").num("usd_krw")
  if (price === null) return []
  if (trade.quantity !== null || (trade.usd === null && trade.krw === null)) {
    const quantity = trade.quantity ?? 1
    const usd = quantity * price
    const inUsd = format.usd(usd)
    const value = inWon.test(reading.words)
      ? format.krw(won === null ? null : usd * won)
      : inUsd
    const [other = null] = otherCoinsOf(reading)
    const against = other === null ? null : found.of("get_price", { coin: other }).num("price")
    const amount = format.plain(against === null ? null : Number((usd / against).toPrecision(6)))
    const inOther = say(said.worthIn, { quantity: format.plain(quantity), coin, amount, other, value: inUsd })
    if (inOther !== null) return [inOther]
    return [say(said.worth, { quantity: format.plain(quantity), coin, value, price: format.usd(price) })]
  }
  const usd = trade.usd ?? (trade.krw === null || won === null ? null : trade.krw / won)
  const quantity = usd === null ? null : usd / price
  const money = trade.usd === null ? format.krw(trade.krw) : format.usd(trade.usd)
  return [
    say(said.buys, { money, quantity: format.plain(quantity), coin, price: format.usd(price) }),
    coin === "BTC" && /sat|사토시|сатош/u.test(reading.words) && quantity !== null
      ? say(said.satoshi, { n: format.count(Math.round(quantity * 1e8)) })
      : null
  ]
}

const writeLeverage = (trade: Trade, { format, say }: Desk) => {
  const distance = trade.percent ??
    (trade.entry === null || trade.stop === null ? null : 100 * Math.abs(trade.entry - trade.stop) / trade.entry)
  if (distance === null || distance <= 0) return [say(said.leverageAsk, {})]
  const max = 100 / (distance + 0.5)
  return [
    say(said.leverage, { stop: format.percent(distance), max: format.fixed(max, 1) }),
    say(said.leverageHalf, { half: format.fixed(max / 2, 1) })
  ]
}

const writeCarry = (reading: Reading, found: Findings, { format, say }: Desk) => {
  const coin = coinIn(reading)
  const { usd } = ownTradeOf(reading)
  const yearly = found.of("get_derivatives", { coin }).num("funding_annualised_pct")
  const days = (reading.horizon?.minutes ?? 0) / 1_440
  const percent = yearly === null ? null : yearly * days / 365
  return [
    say(said.carry, {
      money: format.usd(usd),
      coin,
      days: format.plain(days),
      cost: format.usd(percent === null || usd === null ? null : usd * percent / 100),
      rate: format.rate(found.of("get_derivatives", { coin }).num("funding_rate_pct"))
    }),
    say(said.breakeven, { percent: format.percent(percent) })
  ]
}

/** In Korean, an amount in units of 10 million is a price in won: "비트 1억". */
const isWonLevel = (reading: Reading): boolean =>
  inWon.test(reading.words) || ownTradeOf(reading).krw !== null || /억|천만/u.test(reading.words)

const writeDistance = (reading: Reading, found: Findings, { format, say }: Desk): string | null => {
  const coin = coinIn(reading)
  const usd = found.of("get_price", { coin }).num("price")
  const rate = found.of("get_kr_market").num("usd_krw.rate") ?? found.of("get_kr_market").num("usd_krw")
  const price = !isWonLevel(reading) ? usd : usd === null || rate === null ? null : usd * rate
  const level = levelOf(reading)
  const amount = isWonLevel(reading) ? format.krw : format.usd
  return say(said.gainShare, {
    entry: amount(price),
    target: amount(level),
    change: format.change(price === null || level === null ? null : 100 * (level / price - 1)),
    times: ""
  })
}

const linesOf = (reading: Reading, found: Findings, desk: Desk): ReadonlyArray<string | null> => {
  const { format, lang, say } = desk
  const trade = tradeOf(reading)
  const coin = coinIn(reading)
  const price = found.of("get_price", { coin }).num("price")
  const { quantity, stop, target } = trade
  switch (calculationOf(reading)) {
    case "cross": {
      const [a = "", b = ""] = reading.coins
      const [of, against] = [a, b].map((one) => found.of("get_price", { coin: one }).num("price"))
      const rate = of === null || of === undefined || against === null || against === undefined ? null : of / against
      const values = { a, b, price: format.usd(of ?? null), other: format.usd(against ?? null) }
      return [say(said.cross, { ...values, rate: format.plain(rate) })]
    }
    case "liquidation": {
      const data = found.of("get_risk_sizing")
      return [
        say(said.liquidation, {
          leverage: format.plain(trade.leverage),
          side: wordOf(lang, trade.side ?? "long"),
          coin,
          entry: format.usd(entryOrPrice(reading, found)),
          price: format.usd(data.num("liquidation_price")),
          distance: format.percent(Math.abs(data.num("liquidation_distance_pct") ?? 0))
        }),
        say(said.liquidationRule, {})
      ]
    }
    case "ratio": {
      const entry = trade.entry ?? price
      if (entry === null || stop === null || target === null) return []
      const [reward, risk] = [Math.abs(target - entry), Math.abs(entry - stop)]
      const r = reward / risk
      return [
        say(said.ratio, { r: format.fixed(r, 2), reward: format.usd(reward), risk: format.usd(risk) }),
        say(said.ratioRate, { rate: format.percent(100 / (1 + r)) })
      ]
    }
    case "leverage":
      return writeLeverage(trade, desk)
    case "risk": {
      const distance = trade.entry === null || stop === null ? null : Math.abs(trade.entry - stop)
      return [say(said.risk, {
        stop: format.usd(stop),
        loss: format.usd(distance === null || quantity === null ? null : distance * quantity),
        quantity: format.plain(quantity),
        coin,
        distance: format.usd(distance)
      })]
    }
    case "gain":
      return [writeGain(reading, trade, price, desk), trade.entry === null ? null : say(said.unrecorded, {})]
    case "sizing": {
      const entry = trade.entry ?? price
      const distance = entry === null || stop === null ? null : Math.abs(entry - stop)
      const quantity = trade.risk === null || distance === null || distance === 0 ? null : trade.risk / distance
      return [say(said.sizing, {
        risk: format.usd(trade.risk),
        stop: format.usd(stop),
        quantity: format.plain(quantity === null ? null : Number(quantity.toPrecision(5))),
        coin,
        entry: format.usd(entry),
        value: format.usd(quantity === null || entry === null ? null : quantity * entry)
      })]
    }
    case "share":
      return [say(said.share, {
        percent: format.percent(trade.percent),
        coin,
        price: format.usd(price),
        value: format.usd(price === null || trade.percent === null ? null : price * trade.percent / 100)
      })]
    case "convert":
      return writeConverted(reading, found, desk)
    case "carry":
      return writeCarry(reading, found, desk)
    case "distance":
      return [writeDistance(reading, found, desk)]
    case null:
      return []
  }
}

const foreign = rule("rub(?:les?)?|eur(?:os?)?|yen|gbp|pounds?", "유로|엔화|루블", "руб|евро|иен|фунт")

/** Calculations with the numbers of the question and the present price. */
export const calculator: Intent = {
  name: "calculator",
  reads: [...Object.values(calculationWords), ofTrade, rises, falls, howMuch, inWon, satoshis],
  spans: ({ horizon, ...reading }) => horizon !== null && calculationOf({ ...reading, horizon }) === "carry",
  numbers: usedNumbers,
  asked: (reading) => calculationOf(reading) !== null,
  over: "all",
  plan: planOf,
  write: (reading, found, desk) => {
    const [verdict = null, ...evidence] = linesOf(reading, found, desk)
    return { verdict, evidence: [...evidence, foreign.test(reading.words) ? desk.say(said.noRate, {}) : null] }
  },
  next: [
    questions.funding,
    questions.levels
  ]
}
