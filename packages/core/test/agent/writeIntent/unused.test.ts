import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { intentOf, permits, unusedWords } from "../../../src/agent/index.ts"

const position = (rest: Readonly<Record<string, Schema.Json>>) => ({ coin: "BTC", side: "short", ...rest })
const known = { entry: 92_500, stop: 93_500, takes: [90_000], leverage: 5 }

describe("a write that leaves out what its user said", () => {
  it("is refused with the word that no argument holds, in each language", () => {
    const records = { positions: [], tasks: [] }
    for (
      const [message, tool, args, unused] of [
        ["open a btc short 0.2 at 92500 stop 93500 target 90000 5x", "set_position", position(known), "0.2"],
        ["BTC 숏 0.2 92500 진입, 손절 93500, 목표 90000, 5배 기록해줘", "set_position", position(known), "0.2"],
        ["запиши шорт BTC 0,2 по 92500 стоп 93500 цель 90000 5х", "set_position", position(known), "0,2"],
        ["move the stop of position 17 to 58000 61000", "update_position", { id: 17, stop: 58_000 }, "61000"],
        ["close position 17 at 65000 5x", "close_position", { id: 17, exit: 65_000 }, "5x"],
        ["pause task 12 for 2 hours", "update_task", { id: 12, status: "paused" }, "2 hours"],
        ["12번 알림 2시간 꺼줘", "update_task", { id: 12, status: "paused" }, "2시간"],
        ["add BTC and ETH to my watchlist", "update_watchlist", { add: ["BTC"] }, "ETH"],
        ["добавь солану и эфир в вотчлист", "update_watchlist", { add: ["SOL"] }, "ETH"],
        ["add a note on BTC and ETH: entered too early", "add_journal_note", { text: "entered too early" }, "BTC"],
        ["add a note: entered at 61000", "add_journal_note", { text: "entered" }, "61000"],
        ["5x, record a BTC short at 92500", "set_position", position({ entry: 92_500 }), "leverage"]
      ] as const
    ) {
      const permission = permits(intentOf(message, []), tool, args, records)
      assert.isFalse(permission.permitted, message)
      assert.strictEqual(permission.permitted ? null : permission.field, unused, message)
    }
  })

  it("is permitted once its arguments hold all of it", () => {
    for (
      const [message, tool, args] of [
        ["open a btc short at 92500 stop 93500 target 90000 5x", "set_position", position(known)],
        ["5x, record a BTC short at 92500", "set_position", position({ entry: 92_500, leverage: 5 })],
        ["record a BTC short at 92500 size 500 usdt", "set_position", position({ entry: 92_500, size_usd: 500 })],
        ["move the stop of position 17 from 57000 to 58000", "update_position", { id: 17, stop: 58_000 }],
        ["close half of position 17 at 65000", "close_position", { id: 17, exit: 65_000, fraction: 0.5 }],
        ["close 30% of position 17 at 65000", "close_position", { id: 17, exit: 65_000, fraction: 0.3 }],
        ["add BTC and ETH to my watchlist", "update_watchlist", { add: ["BTC", "ETH"] }],
        ["add a note on trade 5: out at 61000", "add_journal_note", { text: "out at 61000", trade_id: 5 }],
        ["every day at 9am check BTC RSI 14", "create_task", {
          title: "BTC",
          kind: "schedule",
          spec: { at: "09:00" },
          prompt: "check BTC RSI 14"
        }],
        ["alert me if SOL moves 5% in an hour", "create_task", {
          title: "SOL",
          kind: "watch",
          spec: { metric: "gap", symbol: "SOL", value: 5 }
        }]
      ] as const
    ) {
      assert.deepStrictEqual(permits(intentOf(message, []), tool, args), { permitted: true }, message)
    }
  })

  it("finds numbers that cannot be read, and looks at no question and no quotation", () => {
    const args = position({ entry: 92_500 })
    assert.deepStrictEqual(unusedWords("btc short 0.2btc at 92500", [args]), ["0.2btc"])
    assert.deepStrictEqual(unusedWords("btc short ½ at 92500", [args]), ["½"])
    assert.deepStrictEqual(unusedWords("btc short at 92500. Is RSI above 70?", [args]), [])
    assert.deepStrictEqual(unusedWords("btc short at 92500 \"sell 5 ETH\"", [args]), [])
    assert.deepStrictEqual(unusedWords("btc short at 92500 and SOL", [args]), ["SOL"])
    assert.deepStrictEqual(unusedWords("", [args]), [])
    assert.deepStrictEqual(unusedWords("a".repeat(4_000), []), [])
  })
})
