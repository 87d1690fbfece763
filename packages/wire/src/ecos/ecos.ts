import { dayMs, hourMs, isTradingDay, type MacroCalendar } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { AutoAdvancingClock } from "../server/AutoAdvancingClock.ts"
import type { FakeResponse, RequestHandler } from "../server/FakeServer.ts"

type Calendar = MacroCalendar["Service"]

const tenors: Readonly<Record<string, string>> = {
  "010190000": "1Y",
  "010195000": "2Y",
  "010200000": "3Y",
  "010200001": "5Y",
  "010210000": "10Y",
  "010220000": "20Y",
  "010230000": "30Y"
}

const digitsOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10).replaceAll("-", "")
const dayOf = (digits: string): number =>
  Date.parse(`${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}`) / dayMs

const resultMessage = (code: string, message: string): FakeResponse => ({
  body: { RESULT: { CODE: code, MESSAGE: message } }
})

const rowOf = (table: string, item: string, day: number, pct: number, digits: number) => ({
  STAT_CODE: table,
  STAT_NAME: table === "817Y002" ? "1.3.2.1. 시장금리(일별)" : "1.3.1. 한국은행 기준금리 및 여수신금리",
  ITEM_CODE1: item,
  ITEM_NAME1: table === "817Y002" ? `국고채(${tenors[item]!.replace("Y", "년")})` : "한국은행 기준금리",
  ITEM_CODE2: null,
  ITEM_NAME2: null,
  UNIT_NAME: "연%",
  WGT: null,
  TIME: digitsOf(day),
  DATA_VALUE: String(Number(pct.toFixed(digits)))
})

/** Returns the yield of a bond at 16:00 in Seoul, which is published an hour later. */
const yieldOn = Effect.fnUntraced(function*(calendar: Calendar, item: string, day: number, now: number) {
  const time = day * dayMs + 7 * hourMs
  if (!isTradingDay("KR", day) || time + hourMs > now) return undefined
  const { value } = yield* Effect.orDie(calendar.yieldCurve("KR")).pipe(
    Effect.provideService(Clock.Clock, new AutoAdvancingClock(time, []))
  )
  return value.points.find(({ tenor }) => tenor === tenors[item])?.yieldPct
})

const baseRateOn = Effect.fnUntraced(function*(calendar: Calendar, day: number, now: number) {
  const end = (day + 1) * dayMs - 9 * hourMs
  const { value } = yield* Effect.orDie(calendar.events({ country: "KR", from: end - 120 * dayMs, to: end }))
  const decisions = value.filter(({ actual, name }) => name.startsWith("BoK") && actual !== null)
  return day * dayMs - 9 * hourMs > now ? undefined : decisions.at(-1)?.actual ?? undefined
})

/** Creates a fake of the Bank of Korea's statistics API, which accepts only the API key `key`. */
export const makeEcos = (calendar: Calendar, key: string): RequestHandler => ({ path }) => {
  const match = /^\/api\/StatisticSearch\/([^/]+)\/json\/kr\/1\/(\d+)\/(\w+)\/D\/(\d{8})\/(\d{8})\/(\w+)$/u.exec(path)
  if (match === null) return Effect.succeed(null)
  const [, requestKey, maxRows, table, from, to, item] = [...match]
  if (requestKey !== key) return Effect.succeed(resultMessage("INFO-100", "인증키가 유효하지 않습니다."))
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    const row: Array<unknown> = []
    for (let day = dayOf(from!); day <= dayOf(to!); day++) {
      const pct = table === "817Y002"
        ? yield* yieldOn(calendar, item!, day, now)
        : yield* baseRateOn(calendar, day, now)
      if (pct !== undefined) row.push(rowOf(table!, item!, day, pct, table === "817Y002" ? 3 : 2))
    }
    if (row.length === 0) return resultMessage("INFO-200", "해당하는 데이터가 없습니다.")
    return { body: { StatisticSearch: { list_total_count: row.length, row: row.slice(0, Number(maxRows)) } } }
  })
}
