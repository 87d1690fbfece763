import { assert, describe, it } from "@effect/vitest"
import type { Schema } from "effect"
import { intentOf, permits, unusedWords } from "../../../src/agent/index.ts"

const position = (rest: Readonly<Record<string, Schema.Json>>) => ({ coin: "BTC", side: "short", ...rest })
const known = { entry: 92_500, stop: 93_500, takes: [90_000], leverage: 5 }

describe("Write that omits words of the message", () => {
  it("is rejected with the omitted word, in each language", () => {
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

  it("is rejected if the message states a size in coins or in a currency other than dollars", () => {
    for (
      const [message, said, coin, entry] of [
        ["record btc long at 92500 size 0.2 btc", 0.2, "BTC", 92_500],
        ["record btc long at 92500 size 0.2 of btc", 0.2, "BTC", 92_500],
        ["record long at 92500 size btc 0.2", 0.2, "BTC", 92_500],
        ["record btc long at 92500 size 0.2 coins", 0.2, "BTC", 92_500],
        ["record btc long at 92500 size 0.2", 0.2, "BTC", 92_500],
        ["record eth long at 3000 size 2", 2, "ETH", 3_000],
        ["BTC 롱 92500 진입 규모 0.2 기록해줘", 0.2, "BTC", 92_500],
        ["запиши лонг BTC по 92500 размер 0.2", 0.2, "BTC", 92_500],
        ["record eth long at 3000 size 2 eth", 2, "ETH", 3_000],
        ["record eth long at 3000 size 2 eth 2x", 2, "ETH", 3_000],
        ["record sol long at 180 size 100 sol", 100, "SOL", 180],
        ["record btc long at 92500 size 500 eur", 500, "BTC", 92_500],
        ["record btc long at 92500 size €500", 500, "BTC", 92_500],
        ["record btc long at 92500 size ₿0.2", 0.2, "BTC", 92_500],
        ["record a btc long at 92500 half a coin", 0.5, "BTC", 92_500],
        ["record a btc long at 92500 two btc", 2, "BTC", 92_500],
        ["BTC 롱 92500 진입 규모 0.2 비트코인 기록해줘", 0.2, "BTC", 92_500],
        ["BTC 롱 92500 진입 규모 0.2개 기록해줘", 0.2, "BTC", 92_500],
        ["BTC 롱 92500 진입 절반 기록해줘", 0.5, "BTC", 92_500],
        ["이더 롱 3000 진입 사이즈 2이더 기록해줘", 2, "ETH", 3_000],
        ["запиши лонг BTC по 92500 размер 0,2 биткоина", 0.2, "BTC", 92_500],
        ["запиши лонг BTC по 92500 размер 0.2 монеты", 0.2, "BTC", 92_500],
        ["запиши лонг BTC по 92500 половина монеты", 0.5, "BTC", 92_500]
      ] as const
    ) {
      const intent = intentOf(message, [])
      const long = { coin, side: "long", entry }
      for (
        const args of [long, { ...long, size_usd: said }, { ...long, leverage: 2 }, { coin, side: "long", entry: said }]
      ) {
        assert.isFalse(permits(intent, "set_position", args).permitted, message)
      }
    }
    for (
      const message of [
        "change the size of position 17 to 0.5 btc",
        "17번 포지션 규모 0.5개로 바꿔줘",
        "измени размер позиции 17 на 0,5 монеты"
      ]
    ) {
      assert.isFalse(permits(intentOf(message, []), "update_position", { id: 17, size_usd: 0.5 }).permitted, message)
    }
  })

  it("is rejected if the message states an amount or a price in coins or in another currency", () => {
    for (
      const [message, tool, args] of [
        ["set my account to 5000 eur", "set_risk_profile", { account_usd: 5_000 }],
        ["close position 17 at 65000 fees 0.001 btc", "close_position", { id: 17, exit: 65_000, fees_usd: 0.001 }],
        ["alert me when BTC goes above €60000", "create_task", {
          title: "BTC above 60000",
          kind: "watch",
          spec: { metric: "price", symbol: "BTC", op: "gt", value: 60_000 }
        }]
      ] as const
    ) {
      assert.isFalse(permits(intentOf(message, []), tool, args).permitted, message)
    }
  })

  it("is permitted if its arguments contain everything that the message states", () => {
    for (
      const [message, tool, args] of [
        ["open a btc short at 92500 stop 93500 target 90000 5x", "set_position", position(known)],
        ["5x, record a BTC short at 92500", "set_position", position({ entry: 92_500, leverage: 5 })],
        ["record a BTC short at 92500 size 500 usdt", "set_position", position({ entry: 92_500, size_usd: 500 })],
        ["record a BTC short at 92500 BTC size $500", "set_position", position({ entry: 92_500, size_usd: 500 })],
        ["close position 17 BTC at 65000", "close_position", { id: 17, exit: 65_000 }],
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

  it("reports unreadable numbers, and ignores questions and quotations", () => {
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

describe("Task that a message requests", () => {
  it("watches the coin whose full name the message contains", () => {
    for (const name of ["eth classic", "ETH classic", "ethereum classic"]) {
      const intent = intentOf(`alert me when ${name} goes above 30`, [])
      for (const symbol of ["ETC", "ETH"]) {
        const spec = { metric: "price", symbol, op: "gt", value: 30 }
        const args = { title: `${name} above 30`, kind: "watch", spec }
        assert.strictEqual(permits(intent, "create_task", args).permitted, symbol === "ETC", `${name} ${symbol}`)
      }
    }
  })

  const at = (zone?: number) => ({
    title: "BTC",
    kind: "schedule",
    spec: { at: "09:00", ...(zone === undefined ? {} : { tz_offset_hours: zone }) },
    prompt: "send me an overview of BTC"
  })

  it("runs in the named time zone, and is rejected for a zone without a fixed offset", () => {
    for (
      const [words, offset, other] of [
        ["9am kst", 9, 0],
        ["9am EST", -5, 0],
        ["9am UTC-5", -5, 5],
        ["9am Tokyo time", 9, 0],
        ["9am CET", 1, 0],
        ["9am IST", 5.5, 5],
        ["9:00 utc+5:30", 5.5, 5],
        ["9am", 0, 9]
      ] as const
    ) {
      const intent = intentOf(`every day at ${words} send me an overview of BTC`, [])
      assert.isTrue(permits(intent, "create_task", at(offset)).permitted, words)
      assert.isFalse(permits(intent, "create_task", at(other)).permitted, words)
    }
    for (const words of ["9am new york time", "9am ET", "9am utc+5:20", "9am Chicago time", "9am XYZ to"]) {
      const intent = intentOf(`every day at ${words} send me an overview of BTC`, [])
      for (const zone of [undefined, 0, -5, -4, 5]) {
        assert.isFalse(permits(intent, "create_task", at(zone)).permitted, words)
      }
    }
  })

  it("runs every day only if the message names no days", () => {
    for (
      const [message, isPermitted] of [
        ["every day at 9am send me an overview of BTC", true],
        ["every day at 9am send me the weekly overview of BTC", true],
        ["every day except sunday at 9am send me an overview of BTC", false],
        ["daily at 9am on weekdays send me an overview of BTC", false],
        ["매주 월요일 오전 9시에 BTC overview 보내줘", false],
        ["매일 오전 9시에 BTC overview 보내줘", true]
      ] as const
    ) {
      const args = { title: "overview of BTC", kind: "schedule", spec: { at: "09:00", tz_offset_hours: 0 } }
      assert.strictEqual(permits(intentOf(message, []), "create_task", args).permitted, isPermitted, message)
    }
  })

  it("is rejected as a two-way watch if the message names one direction", () => {
    const gap = { title: "SOL", kind: "watch", spec: { metric: "gap", symbol: "SOL", value: 5 } }
    for (
      const [message, isPermitted] of [
        ["alert me if SOL moves 5%", true],
        ["set up an alert if SOL moves 5% either way", true],
        ["alert me if SOL moves up 5%", false],
        ["alert me if SOL moves down 5%", false],
        ["alert me if SOL moves 5% lower", false],
        ["솔라나 5% 급락하면 알려줘", false],
        ["솔라나 5% 움직이면 알려줘", true]
      ] as const
    ) {
      assert.strictEqual(permits(intentOf(message, []), "create_task", gap).permitted, isPermitted, message)
    }
  })
})
