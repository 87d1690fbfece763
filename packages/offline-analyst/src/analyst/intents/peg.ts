import { ask, type Intent } from "../intent.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asks = rule(
  "(?:de)?peg(?:ged|ging)?|safe|stable|price|how is|how's|holding|broke|worth|doing",
  "페깅|디페깅|안전|괜찮|가격|시세|얼마|어때",
  "(?:де)?пег|привязк|держит|цен|сколько|безопас|как"
)
/** The distance from one dollar, in percent, above which a peg is called broken. */
const brokenFrom = 0.5

const said = {
  holds: text(
    "{name} holds its peg: {price}, {distance} from one dollar.",
    "{name} 페그는 유지되고 있습니다. {price}, 1달러와의 차이 {distance}.",
    "{name} держит привязку: {price}, отклонение от доллара {distance}."
  ),
  broken: text(
    "{name} is off its peg: {price}, {distance} from one dollar.",
    "{name} 페그가 벗어났습니다. {price}, 1달러와의 차이 {distance}.",
    "{name} отклонился от привязки: {price}, отклонение от доллара {distance}."
  ),
  range: text(
    "24-hour range {low} to {high}.",
    "24시간 범위 {low} ~ {high}.",
    "Диапазон за 24 часа: от {low} до {high}."
  )
}

export const stablecoinTickers: ReadonlySet<string> = new Set(["USDT", "USDC", "DAI", "USDE", "FDUSD"])

/** The price of a stablecoin against its peg. Stablecoins have no score, no signals and no perpetual. */
export const peg: Intent = {
  name: "peg",
  reads: [asks],
  asked: ({ coins, words }) => coins.length === 1 && stablecoinTickers.has(coins[0]!) && asks.test(words),
  over: ["price", "trend"],
  plan: ({ coins: [coin = ""] }) => [ask("get_price", { coin })],
  write: ({ coins: [name = ""] }, found, { format, say }) => {
    const data = found.of("get_price", { coin: name })
    const price = data.num("price")
    const distance = price === null ? null : 100 * (price - 1)
    return {
      verdict: say(Math.abs(distance ?? 0) < brokenFrom ? said.holds : said.broken, {
        name,
        price: price === null ? null : `$${format.fixed(price, 4) ?? ""}`,
        distance: format.change(distance)
      }),
      evidence: [
        say(said.range, {
          low: format.fixed(data.num("low_24h"), 4),
          high: format.fixed(data.num("high_24h"), 4)
        })
      ]
    }
  },
  next: [
    questions.stablecoins
  ]
}
