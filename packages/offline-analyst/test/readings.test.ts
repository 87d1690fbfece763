import { assert, layer } from "@effect/vitest"
import { OfflineAnalyst } from "@tapeline/offline-analyst"
import { Effect } from "effect"
import { play } from "./support/play.ts"

layer(OfflineAnalyst)("what a question names", (it) => {
  it.effect("tests the averages that a stroke joins, whatever their periods", () =>
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
})
