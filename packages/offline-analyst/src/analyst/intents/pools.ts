import { ask, type Intent } from "../intent.ts"
import { coinOf } from "../reading/reading.ts"
import { rule } from "../reading/rule.ts"
import { text } from "../writing/text.ts"
import { questions } from "./questions.ts"

const asks = rule("pools?|lp", "풀(?![가-힣]*콜)|유동성\\s?풀", "пул(?:ы|ов|а|е)?(?![а-я])|пары на dex")
const ofExchanges = rule(
  "dex|liquid(?:ity)?|deepest|lp|uniswap|raydium",
  "dex|디파이|유동성|탈중앙|거래소",
  "dex|ликвидн|декс|юнисвап"
)

const said = {
  verdict: text(
    "The deepest pool of {name} is {pair} on {dex} ({chain}): liquidity {liquidity}, 24-hour volume {volume}, fee {fee}.",
    "{name} 유동성이 가장 큰 풀은 {dex}({chain})의 {pair}입니다. 유동성 {liquidity}, 24시간 거래 {volume}, 수수료 {fee}.",
    "Самый глубокий пул {name}: {pair} на {dex} ({chain}); ликвидность {liquidity}, объем за 24 часа {volume}, комиссия {fee}."
  ),
  deepest: text(
    "The deepest pool of {name} is {pair} on {dex} ({chain}).",
    "{name} 유동성이 가장 큰 풀은 {dex}({chain})의 {pair}입니다.",
    "Самый глубокий пул {name}: {pair} на {dex} ({chain})."
  ),
  none: text(
    "{name} has no pool that the source knows.",
    "{name} 풀은 출처에 없습니다.",
    "Пулов {name} источник не знает."
  ),
  pool: text(
    "{pair} on {dex} ({chain}): liquidity {liquidity}, volume {volume}.",
    "{pair}, {dex}({chain}): 유동성 {liquidity}, 거래 {volume}.",
    "{pair} на {dex} ({chain}): ликвидность {liquidity}, объем {volume}."
  ),
  all: text(
    "Listed pools together: liquidity {liquidity}, volume {volume}.",
    "조회된 풀 합계: 유동성 {liquidity}, 거래 {volume}.",
    "Вместе по этим пулам: ликвидность {liquidity}, объем {volume}."
  ),
  change: text(
    "Liquidity that is withdrawn makes every exit dearer: look again before a large trade.",
    "유동성이 빠지면 매도 비용이 커집니다. 큰 거래 전에 다시 확인하세요.",
    "Если ликвидность уведут, выход подорожает: перед крупной сделкой проверьте еще раз."
  )
}

const shown = 3

/** Formats a name such as `uniswap_v3` as "Uniswap v3". */
const titled = (name: string | null): string | null =>
  name === null ? null : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`.replaceAll("_", " ")

export const pools: Intent = {
  name: "pools",
  reads: [asks, ofExchanges, rule("dex|biggest|largest|volume|fees?|tvl", "거래량|규모", "объем|крупн")],
  asked: ({ coins, words }) => asks.test(words) && ofExchanges.test(words) && coins.length > 0,
  over: ["price", "trend", "token", "onchain", "orderBook", "priceOn"],
  plan: (reading) => [ask("get_dex_pools", { coin: coinOf(reading) })],
  write: (reading, found, { format, say }) => {
    const name = coinOf(reading)
    const data = found.of("get_dex_pools", { coin: name })
    const rows = data.list("pools").map((pool) => ({
      name,
      pair: pool.str("pair"),
      dex: titled(pool.str("dex")),
      chain: titled(pool.str("chain")),
      liquidity: format.bigUsd(pool.num("liquidity_usd")),
      volume: format.bigUsd(pool.num("volume_24h_usd")),
      fee: format.percent(pool.num("fee_pct"))
    }))
    const [first, ...others] = rows
    // A pool with unknown values is still named, without those values.
    const verdictOf = (pool: typeof rows[number]) => say(said.verdict, pool) ?? say(said.deepest, pool)
    return {
      verdict: data.raw === null ? null : first === undefined ? say(said.none, { name }) : verdictOf(first),
      evidence: [
        ...others.slice(0, shown).map((row) => say(said.pool, row)),
        say(said.all, {
          liquidity: format.bigUsd(data.num("liquidity_usd")),
          volume: format.bigUsd(data.num("volume_24h_usd"))
        })
      ],
      change: say(said.change, {})
    }
  },
  next: [
    text(
      "Who holds {name}: supply and holders?",
      "{name} 유통량과 홀더는 어떤가요?",
      "Какая токеномика у {name}: держатели?"
    ),
    questions.social,
    questions.outlook
  ]
}
