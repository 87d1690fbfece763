import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play } from "./support/play.ts"

layer(OfflineAnalyst)("the names in a question", (it) => {
  it.effect("include averages with any periods that a slash joins", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, fast, slow] of [
          ["en", "Backtest EMA 20/50 crossover on BTC", "ema(20)", "ema(50)"],
          ["ko", "BTC EMA 20/50 교차 전략을 백테스트해 주세요", "ema(20)", "ema(50)"],
          ["ru", "Сделай бэктест пересечения EMA 20/50 по BTC", "ema(20)", "ema(50)"],
          ["en", "EMA 10/30 crossover backtest ETH 4h", "ema(10)", "ema(30)"]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, tools: ["run_backtest"] })
        assert.deepInclude(calls[0]?.arguments, {
          strategy: {
            entry: [{ left: fast, op: "cross_above", right: slow }],
            exit: [{ left: fast, op: "cross_below", right: slow }]
          }
        }, question)
      }
    }))

  it.effect("determine the tool and its arguments, without words that only look like names", () =>
    Effect.gen(function*() {
      for (
        const [lang, question, name, args] of [
          ["en", "is there an arb between Binance and OKX funding on DOGE right now?", "get_funding_comparison", {
            coin: "DOGE"
          }],
          ["en", "How many ETH on exchanges, are whales accumulating?", "get_whale_transfers", { coin: "ETH" }],
          ["ru", "кто сейчас в плюсе на рынке топ 3 монеты и почему", "get_movers", { market: "crypto" }],
          ["ko", "업비트랑 빗썸 도지 가격 차이", "get_kimchi_premium", { coin: "DOGE" }],
          ["ru", "где стопы и ликвидации по соляне?", "get_liquidations", { coin: "SOL" }],
          ["en", "how much would it move the market if i market sell 2 million of DOGE", "get_orderbook", {
            coin: "DOGE",
            sizes_usd: [2_000_000]
          }],
          ["en", "Can I sell a million dollars of SOL at market?", "get_orderbook", { sizes_usd: [1_000_000] }],
          ["en", "how about LINK?", "get_score", { coin: "LINK" }],
          ["en", "xbt price", "get_price", { coin: "BTC" }],
          ["en", "dot analysis", "get_score", { coin: "DOT" }],
          ["ru", "что с тоном?", "get_score", { coin: "TON" }],
          ["en", "arb between upbit and binance on XRP", "get_kimchi_premium", { coin: "XRP" }],
          ["ru", "во сколько откроется америка", "get_us_market", {}],
          ["en", "how did I do this month?", "get_journal_stats", { days: 30 }],
          ["ru", "стоит ли продавать волу по эфиру", "get_iv_metrics", { coin: "ETH" }],
          ["en", "is eth gonna hold 3k", "get_probability", { coin: "ETH", target: 3_000 }]
        ] as const
      ) {
        const { calls } = yield* play({ lang, question, tools: [name] })
        assert.strictEqual(calls[0]?.name, name, question)
        assert.deepInclude(calls[0]?.arguments, args, question)
      }
      const stop = yield* play({
        lang: "ko",
        question: "그럼 손절은 어디에 둬야 해?",
        tools: ["get_levels"],
        earlier: [{ question: "지금 비트 롱 들어가도 될까?", answer: "..." }]
      })
      assert.deepStrictEqual(stop.calls, [{ name: "get_levels", arguments: { coin: "BTC", tf: "4h" } }])
      const later = yield* play({
        question: "+in 12 hours?",
        tools: ["get_probability"],
        earlier: [{ question: "probability that BTC is above 93000 in 4 hours", answer: "..." }]
      })
      assert.deepInclude(later.calls[0]?.arguments, { target: 93_000 })
    }))

  it.effect("are listed if not answered; the answer also states that nothing changed or how the price moved", () =>
    Effect.gen(function*() {
      const several = yield* play({
        question: "RSI of BTC, ETH, SOL, XRP",
        answers: {
          get_indicators: { coin: "BTC", tf: "4h", rsi: 50, close: 90_000 }
        }
      })
      assert.match(several.text, /I did not answer about ETH.{1,6}SOL.{1,6}XRP/, several.text)
      for (
        const [lang, question, said] of [
          ["en", "no", "nothing was changed"],
          ["en", "no thanks", "nothing was changed"],
          ["en", "ok", "nothing was changed"],
          ["ko", "아니", "아무것도 바뀌지 않았습니다"],
          ["ru", "нет", "ничего не изменено"],
          ["en", "any bearish divergences", "I could not tell what you ask"]
        ] as const
      ) {
        const { calls, text } = yield* play({ lang, question, tools: ["get_price"] })
        assert.deepStrictEqual([calls.length, text.includes(said)], [0, true], text)
      }
      const risen = yield* play({
        lang: "ru",
        question: "почему упал рипл?",
        answers: { get_price: { coin: "XRP", price: 2, change_24h_pct: 1.45 } }
      })
      assert.include(risen.text, "XRP за последние 24 часа не упал: +1,45%")
    }))
})
