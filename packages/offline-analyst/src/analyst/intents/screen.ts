import type { Schema } from "effect"
import { ask, type Intent } from "../intent.ts"
import { countIn, numberWith, type Stated } from "../reading/numbers.ts"
import type { Reading } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { type Text, text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asks = rule(
  "screen(?:er)?|find (?:me )?coins?|which coins?|what coins?|coins? (?:w/|with|that|where|having)|list (?:of )?coins?|filter",
  "스크리너|스크리닝|어떤 코인|무슨 코인|코인(?:은|을|들)? (?:찾|골라|뭐|무엇)|인 코인|한 코인|된 코인|코인 목록",
  "скринер|найди монет|какие монеты|каких монет|монеты (?:с|у которых|где)|отбери|отфильтруй|список монет"
)

const fields: ReadonlyArray<readonly [field: string, word: RegExp]> = [
  ["oi_change_24h_coin_pct", rule("open interest|oi", "미결제", "открыт[а-я]+ интерес")],
  ["rsi", rule("rsi", "rsi", "rsi")],
  ["funding_rate_pct", rule("funding", "펀딩", "фандинг")],
  ["score", rule("score", "점수", "балл|скор")],
  [
    "change_24h_pct",
    rule(
      "change|up|down|gain(?:ed)?|fell|rose|lost",
      "등락|변동률|상승|하락|올랐|오른|내린|떨어진",
      "измен|вырос|упал|рост|паден"
    )
  ],
  ["volume_24h_usd", rule("volume", "거래대금|거래량", "объем")],
  ["atr_pct", rule("atr|volatil\\w*", "변동성|atr", "волатильн|atr")],
  ["price", rule("price", "가격", "цен[аойы]")]
]
const below = rule(
  "below|under|less than|lower than|negative|oversold|<",
  "아래|미만|이하|낮은|음수|마이너스|과매도|작은",
  "ниже|меньше|менее|отрицательн|перепродан|<"
)
const fell = rule("fell|down|lost|drop\\w*", "하락|내린|떨어진|떨어졌", "упал|паден|снизил")
const ofCoins = rule("coins|alts|tokens", "코인", "монет")
const overbought = rule("overbought", "과매수", "перекуплен")
const oversold = rule("oversold", "과매도", "перепродан")

interface Filter {
  readonly [key: string]: Schema.Json
  readonly field: string
  readonly op: "lt" | "gt"
  readonly value: number
}

const filterOf = ({ numbers, words }: Reading): Filter => {
  if (overbought.test(words)) return { field: "rsi", op: "gt", value: 70 }
  if (oversold.test(words) && !/rsi/u.test(words)) return { field: "rsi", op: "lt", value: 30 }
  const [field, word] = fields.find(([, pattern]) => pattern.test(words)) ?? ["score", /score/u]
  const amounts = numbers.filter(({ kind }) => kind === "plain" || kind === "percent")
  const near = (kind: Stated["kind"]) => numberWith(numbers, word, kind)
  const stated = near("plain") ?? near("percent") ?? amounts[0]?.value ?? null
  const down = field === "change_24h_pct" && fell.test(words) && stated !== null
  const value = stated ?? (field === "rsi" ? (below.test(words) ? 30 : 70) : 0)
  return { field, op: down || below.test(words) ? "lt" : "gt", value: down ? -Math.abs(value) : value }
}

const names: Readonly<Record<string, Text<never>>> = {
  rsi: text("RSI", "RSI", "RSI"),
  funding_rate_pct: text("funding (%)", "펀딩비(%)", "фандинг (%)"),
  score: text("score", "점수", "балл"),
  change_24h_pct: text("24-hour change (%)", "24시간 변동률(%)", "изменение за 24 ч (%)"),
  oi_change_24h_coin_pct: text(
    "open interest, 24-hour change (%)",
    "미결제약정 24시간 변화(%)",
    "открытый интерес за 24 ч (%)"
  ),
  volume_24h_usd: text("24-hour volume (USD)", "24시간 거래대금(USD)", "объем за 24 ч (USD)"),
  atr_pct: text("ATR (%)", "ATR(%)", "ATR (%)"),
  price: text("price (USD)", "가격(USD)", "цена (USD)")
}

const said = {
  verdict: text(
    "Coins that meet {field} {op} {value}: {n} of {scanned}.",
    "{scanned}개 중 {n}개 코인이 {field} {op} {value} 조건에 맞습니다.",
    "Условию {field} {op} {value} отвечает монет: {n} из {scanned}."
  ),
  none: text(
    "No coin of {scanned} meets {field} {op} {value} now.",
    "현재 {scanned}개 코인 중 {field} {op} {value} 조건에 맞는 코인이 없습니다.",
    "Сейчас из {scanned} монет условию {field} {op} {value} не отвечает ни одна."
  ),
  row: text("{coin}: {field} {value}.", "{coin}: {field} {value}.", "{coin}: {field} {value}."),
  change: text(
    "A screen is a start and no signal: ask for the trend and funding of what it found.",
    "스크리닝은 출발점일 뿐 신호가 아닙니다. 찾은 코인의 추세와 펀딩비를 확인하세요.",
    "Отбор это начало, а не сигнал: спросите о тренде и фандинге найденных монет."
  )
}

export const screen: Intent = {
  name: "screen",
  reads: [
    rule(
      "highest|lowest|most|top|now|have|negative|positive",
      "높은|낮은|가장|음수|양수",
      "высок|низк|отрицательн|положительн"
    ),
    asks,
    below,
    fell,
    overbought,
    oversold,
    ...fields.map(([, words]) => words)
  ],
  numbers: true,
  asked: ({ coins, words }) =>
    asks.test(words) && coins.length === 0 && fields.some(([, word]) => word.test(words)) ||
    ((asks.test(words) || (coins.length === 0 && ofCoins.test(words))) &&
      (overbought.test(words) || oversold.test(words))),
  lists: (_, found) => found.of("screen_coins").list("matches").flatMap((row) => row.str("coin") ?? []),
  over: "all",
  plan: (reading) => {
    const filter = filterOf(reading)
    const order = filter.op === "lt" ? "asc" : "desc"
    return [
      ask("screen_coins", { filters: [filter], sort: { field: filter.field, order }, top: countIn(reading.words) ?? 8 })
    ]
  },
  write: (reading, found, { format, lang, say }) => {
    const { field, op, value } = filterOf(reading)
    const data = found.of("screen_coins")
    const matched = data.num("matched")
    const named = names[field]?.[lang] ?? field
    const condition = {
      field: named,
      op: op === "lt" ? "<" : ">",
      value: Number.isInteger(value) ? format.count(value) : format.number(value),
      scanned: format.count(data.num("scanned"))
    }
    return {
      verdict: matched === 0
        ? say(said.none, condition)
        : say(said.verdict, { ...condition, n: format.count(matched) }),
      evidence: data.list("matches").map((row) =>
        say(said.row, {
          coin: row.str("coin"),
          field: named,
          value: field.endsWith("_usd")
            ? format.bigUsd(row.num(field))
            : format.fixed(row.num(field), field === "funding_rate_pct" ? 4 : 2)
        })
      ),
      change: matched === 0 ? null : say(said.change, {})
    }
  },
  next: [
    questions.movers,
    questions.market,
    questions.signals
  ]
}
