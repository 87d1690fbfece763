import type { Findings } from "../Findings.ts"
import { ask, type Intent } from "../intent.ts"
import { monthOf } from "../reading/day.ts"
import { coinOf, type Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { expiryAsked } from "./expiry.ts"
import { next } from "./optionStrategy.ts"

const call = rule("calls?", "콜", "колл")
const put = rule("puts?", "풋", "пут")
const strategies = rule(
  "spread|straddle|strangle|condor|butterfly|ratio|strategy|hedge|walls?|max pain|open interest|volume|sold|buying|buyers|skew",
  "스프레드|스트래들|전략|헤지|비율|맥스페인|월(?:은|이)|미결제|스큐",
  "спред|стрэддл|стренгл|стратег|хедж|соотношен|стен|открыт|объем|скос"
)

const said = {
  verdict: text(
    "The {coin} {type} with strike {strike} of {expiry} costs {price} ({source}).",
    "{coin} {expiry} 만기 행사가 {strike} {type}의 가격은 {price}({source})입니다.",
    "{coin}, {type} со страйком {strike} на {expiry}: {price} ({source})."
  ),
  other: text(
    "Strike {wanted} is not listed; {strike} is the nearest.",
    "행사가 {wanted}은(는) 상장되어 있지 않아 가장 가까운 {strike} 기준입니다.",
    "Страйка {wanted} нет; ближайший {strike}."
  ),
  noExpiry: text(
    "No listed expiry fits “{words}”. Listed are {expiries}.",
    "“{words}”에 맞는 만기가 없습니다. 상장된 만기는 {expiries}입니다.",
    "Подходящей даты для «{words}» нет. Есть {expiries}."
  ),
  greeks: text("IV {iv}, delta {delta}.", "IV {iv}, 델타 {delta}.", "IV {iv}, дельта {delta}."),
  breakEven: text(
    "Break-even at expiry: {price}.",
    "만기 손익분기점: {price}.",
    "Безубыточность на экспирации: {price}."
  ),
  call: text("call", "콜", "колл"),
  put: text("put", "풋", "пут"),
  ask: text("ask", "매도호가", "цена продажи"),
  mark: text("mark", "마크 가격", "марк")
}

/** Returns the strike of a question, which is no day of a date. */
const strikeOf = ({ numbers }: Reading): number | null =>
  numbers.find(({ kind, value }) => kind === "plain" && value > 31)?.value ?? null

const typeOf = ({ words }: Reading): "call" | "put" | null =>
  call.test(words) === put.test(words) ? null : call.test(words) ? "call" : "put"

/** Returns the listed expiry that a question names: a day, this week's, or the last one of a month. */
const expiryOf = (reading: Reading, found: Findings): string | null | undefined => {
  const chain = found.of("get_option_chain", { coin: coinOf(reading) })
  const expiries = chain.list("expiries").flatMap((row) => row.str("expiry") ?? [])
  if (expiries.length === 0) return undefined
  const stated = expiryAsked(reading, chain, "expiries")
  const month = reading.day === null ? monthOf(reading.words) : null
  const monthly = month === null
    ? null
    : expiries.findLast((expiry) => Number(expiry.slice(5, 7)) === month) ?? null
  return stated ?? monthly ?? (month === null && reading.day === null ? chain.str("expiry") : null)
}

/** The price of one listed option: "eth dec 3000 put price". */
export const optionQuote: Intent = {
  name: "optionQuote",
  reads: [
    call,
    put,
    rule(
      "price|cost|strike|premium|option|december|expir\\w*",
      "가격|얼마|행사가|옵션|만기",
      "цен|страйк|опцион|сколько|экспирац"
    )
  ],
  spans: "own",
  numbers: true,
  asked: (reading) =>
    reading.stocks.length === 0 && reading.coins.length === 1 && typeOf(reading) !== null &&
    strikeOf(reading) !== null && !strategies.test(reading.words),
  over: "all",
  plan: (reading, found) => {
    const coin = coinOf(reading)
    const [expiry, strike, type] = [expiryOf(reading, found), strikeOf(reading), typeOf(reading)]
    return [
      ask("get_option_chain", { coin, strikes_around: 1 }),
      ...(typeof expiry === "string" && strike !== null && type !== null
        ? [ask("get_option_structure", { coin, expiry, legs: [{ type, strike, side: "buy" }] })]
        : [])
    ]
  },
  write: (reading, found, { format, lang, say }) => {
    const coin = coinOf(reading)
    const data = found.of("get_option_structure", { coin })
    const [leg] = data.list("legs")
    const type = typeOf(reading)
    const strike = format.usd(leg?.num("strike") ?? null)
    const wanted = format.usd(strikeOf(reading))
    const expiries = found.of("get_option_chain", { coin }).list("expiries").flatMap((row) => row.str("expiry") ?? [])
    const source = leg?.str("price_source")
    const price = leg?.num("price_usd") ?? null
    return {
      verdict: expiryOf(reading, found) === null
        ? say(said.noExpiry, { words: reading.question, expiries: format.list(expiries) })
        : say(said.verdict, {
          coin,
          type: type === null ? null : said[type][lang],
          strike,
          expiry: format.date(data.str("expiry")),
          price: format.usd(price),
          source: source === "ask" || source === "mark" ? said[source][lang] : null
        }),
      evidence: [
        strike === wanted || strike === null ? null : say(said.other, { wanted, strike }),
        say(said.greeks, {
          iv: format.percent(leg?.num("iv_pct") ?? null),
          delta: format.fixed(leg?.num("delta") ?? null, 2)
        }),
        say(said.breakEven, {
          price: format.usd(
            leg === undefined || price === null ? null : (leg.num("strike") ?? 0) + (type === "put" ? -price : price)
          )
        })
      ]
    }
  },
  next
}
