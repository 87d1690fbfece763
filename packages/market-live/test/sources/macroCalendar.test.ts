import { assert, describe, it } from "@effect/vitest"
import { dayMs, MacroCalendar } from "@tapeline/core/market"
import { macroCalendarContract } from "@tapeline/testing/contracts/macroCalendar"
import {
  AutoAdvancingClock,
  type FakeServer,
  makeBeaSchedule,
  makeBlsSchedule,
  makeEcos,
  makeFakeServer,
  makeFedCalendar,
  makeTreasuryAuctions,
  makeTreasuryYields
} from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import {
  BeaSchedule,
  BlsSchedule,
  Ecos,
  type EventSource,
  FedCalendar,
  layerBeaSchedule,
  layerBlsSchedule,
  layerEcos,
  layerFedCalendar,
  layerMacroCalendar,
  layerTreasuryAuctions,
  layerTreasuryYields,
  SourceHealth,
  TreasuryAuctions,
  TreasuryYields
} from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T23:33:21.500Z")
const key = "ABC/DEF 1"
const sim = Context.get(sharedPorts, MacroCalendar)
const week = { from: now - 7 * dayMs, to: now + 7 * dayMs }

faultSuite<TreasuryYields>({
  source: "us_treasury",
  handleRequest: makeTreasuryYields(sim),
  now,
  layer: (baseUrl, retryPolicy) => layerTreasuryYields({ baseUrl, retryPolicy }),
  requests: [{
    name: "yield curves",
    send: Effect.flatMap(TreasuryYields, (treasury) => treasury.month(2026, 11)),
    optionalLeaves: ["1MONTH", "3MONTH", "6MONTH", ...[1, 2, 3, 5, 7, 10, 20, 30].map((years) => `${years}YEAR`)]
      .map((tenor) => `d:BC_${tenor}`)
  }],
  errorsInBody: {
    "another feed": ["<feed><title>DailyTreasuryBillRateData</title></feed>", "malformed"],
    "nested entities": [
      `<!DOCTYPE feed [<!ENTITY a "DailyTreasuryYieldCurveRateData">]><feed><title>&a;</title></feed>`,
      "malformed"
    ]
  }
})

faultSuite<Ecos>({
  source: "ecos",
  handleRequest: makeEcos(sim, encodeURIComponent(key)),
  now,
  layer: (baseUrl, retryPolicy) => layerEcos({ baseUrl, retryPolicy, key }),
  hasKey: true,
  requests: [{
    name: "base rate",
    send: Effect.flatMap(Ecos, (bank) => bank.baseRate({ from: now - 3 * dayMs, to: now }))
  }],
  errorsInBody: {
    "an unknown key": [
      { RESULT: { CODE: "INFO-100", MESSAGE: "인증키가 유효하지 않습니다." } },
      "not_configured"
    ],
    "too many requests": [{ RESULT: { CODE: "ERROR-602", MESSAGE: "과도한 OpenAPI호출" } }, "rate_limited"],
    "an unavailable database": [{ RESULT: { CODE: "ERROR-600", MESSAGE: "DB Connection 오류" } }, "unreachable"],
    "an invalid request": [{ RESULT: { CODE: "ERROR-101", MESSAGE: "날짜 형식" } }, "malformed"]
  }
})

const eventsIn = <R>(tag: Context.Key<R, EventSource>) => Effect.flatMap(tag, (source) => source.events(week))

faultSuite<FedCalendar>({
  source: "federal_reserve",
  handleRequest: makeFedCalendar(sim),
  now,
  layer: (baseUrl, retryPolicy) => layerFedCalendar({ baseUrl, retryPolicy }),
  requests: [{
    name: "calendar",
    send: eventsIn(FedCalendar),
    // Only the last record belongs to the requested week.
    position: "last",
    // An event with another type is not a meeting. An event without a time still has its date.
    optionalLeaves: ["events.type", "events.time"]
  }],
  errorsInBody: { "an error object": [{ error: "maintenance" }, "malformed"] }
})

faultSuite<BeaSchedule>({
  source: "bea",
  handleRequest: makeBeaSchedule(sim),
  now,
  layer: (baseUrl, retryPolicy) => layerBeaSchedule({ baseUrl, retryPolicy }),
  requests: [{ name: "release dates", send: eventsIn(BeaSchedule) }],
  errorsInBody: { "an error object": [{ error: "maintenance" }, "malformed"] }
})

faultSuite<BlsSchedule>({
  source: "bls",
  handleRequest: makeBlsSchedule(sim),
  now,
  layer: (baseUrl, retryPolicy) => layerBlsSchedule({ baseUrl, retryPolicy }),
  requests: [{ name: "release schedule", send: eventsIn(BlsSchedule) }],
  errorsInBody: { "an empty calendar": ["BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", "malformed"] }
})

faultSuite<TreasuryAuctions>({
  source: "us_treasury",
  handleRequest: makeTreasuryAuctions(sim),
  now,
  layer: (baseUrl, retryPolicy) => layerTreasuryAuctions({ baseUrl, retryPolicy }),
  requests: [{ name: "auctions", send: eventsIn(TreasuryAuctions) }],
  errorsInBody: { "an error object": [{ error: "Invalid Query Param" }, "malformed"] }
})

const servers = Effect.all({
  treasury: makeFakeServer(makeTreasuryYields(sim)),
  ecos: makeFakeServer(makeEcos(sim, encodeURIComponent(key))),
  fed: makeFakeServer(makeFedCalendar(sim)),
  bls: makeFakeServer(makeBlsSchedule(sim)),
  bea: makeFakeServer(makeBeaSchedule(sim)),
  auctions: makeFakeServer(makeTreasuryAuctions(sim))
})

const over = (
  wire: Readonly<Record<"treasury" | "ecos" | "fed" | "bls" | "bea" | "auctions", FakeServer>>,
  ecosKey: string | null
) =>
  layerMacroCalendar.pipe(
    Layer.provide([
      layerTreasuryYields({ baseUrl: wire.treasury.url }),
      layerEcos({ baseUrl: wire.ecos.url, ...(ecosKey === null ? {} : { key: ecosKey }) }),
      layerFedCalendar({ baseUrl: wire.fed.url }),
      layerBlsSchedule({ baseUrl: wire.bls.url, contact: "somebody@example.com" }),
      layerBeaSchedule({ baseUrl: wire.bea.url }),
      layerTreasuryAuctions({ baseUrl: wire.auctions.url })
    ]),
    Layer.provide(SourceHealth.layer)
  )

macroCalendarContract(
  "government sources",
  Layer.unwrap(Effect.map(servers, (wire) => over(wire, key))),
  { now }
)

const live = <A>(
  use: (calendar: MacroCalendar["Service"], wire: Parameters<typeof over>[0]) => Effect.Effect<A, unknown>,
  ecosKey: string | null = key,
  at = now
) =>
  Effect.scoped(Effect.gen(function*() {
    const wire = yield* servers
    return yield* use(Context.get(yield* Layer.build(over(wire, ecosKey)), MacroCalendar), wire)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(at, [10_000, 25_000])), Effect.orDie)

const curveAt = (country: "US" | "KR", time: number) =>
  Effect.map(sim.yieldCurve(country), ({ value }) => value.points).pipe(
    Effect.provideService(Clock.Clock, new AutoAdvancingClock(time, [])),
    Effect.orDie
  )

describe("the calendar of government sources", () => {
  for (
    const [country, at, quoted] of [
      ["US", now, "2026-11-20T20:30:00.000Z"],
      ["KR", now, "2026-11-20T07:00:00.000Z"],
      // On the second day of a month, the newest yields are of the previous month. Thirty days before 2 November,
      // summer time was in effect.
      ["US", Date.parse("2026-11-02T15:00:00Z"), "2026-10-30T19:30:00.000Z"]
    ] as const
  ) {
    it.live(`returns ${country}'s yields of ${quoted}, and those of thirty days earlier`, () =>
      live(
        (calendar) =>
          Effect.gen(function*() {
            const { value: { points, time }, sources } = yield* calendar.yieldCurve(country)
            assert.strictEqual(new Date(time).toISOString(), quoted)
            assert.deepStrictEqual(sources, [country === "US" ? "us_treasury" : "ecos"])
            const right = yield* curveAt(country, time)
            const digits = country === "US" ? 0.0051 : 0.0006
            for (const { tenor, yieldPct } of points) {
              assert.closeTo(yieldPct, right.find((point) => point.tenor === tenor)!.yieldPct, digits, tenor)
            }
            assert.includeMembers(points.map(({ tenor }) => tenor), ["2Y", "10Y", "30Y"])
            for (const { tenor, yield1mAgoPct, yieldPct } of points) {
              assert.isNotNull(yield1mAgoPct, tenor)
              assert.isBelow(Math.abs(yield1mAgoPct - yieldPct), 2)
            }
          }),
        key,
        at
      ))
  }

  it.live("names the key that Korea's yields need, and returns the rest without it", () =>
    live(
      (calendar) =>
        Effect.gen(function*() {
          const error = yield* Effect.flip(calendar.yieldCurve("KR"))
          assert.deepInclude(error, { failure: "not_configured", variable: "TAPELINE_ECOS_KEY", source: "ecos" })
          const { sources } = yield* calendar.events(week)
          assert.deepStrictEqual(sources, ["bea", "bls", "federal_reserve", "us_treasury"])
          assert.strictEqual(
            (yield* Effect.flip(calendar.events({ ...week, country: "KR" })))._tag,
            "SourceUnavailable"
          )
        }).pipe(Effect.orDie),
      null
    ))

  it.live("returns releases at their instants, and auctions by the usual names with their yields", () =>
    live((calendar) =>
      Effect.gen(function*() {
        const { value } = yield* calendar.events({ country: "US", from: now - 40 * dayMs, to: now + 30 * dayMs })
        const { value: right } = yield* sim.events({ country: "US", from: now - 40 * dayMs, to: now + 30 * dayMs })
        const timesOf = (name: string, events = value) =>
          events.filter((event) => event.name === name).map(({ time }) => time)
        for (
          const [name, events] of [
            ["FOMC Meeting", "FOMC Rate Decision"],
            ["Consumer Price Index", "CPI YoY"],
            ["Employment Situation", "Nonfarm Payrolls"],
            ["Job Openings and Labor Turnover Survey", "JOLTS Job Openings"],
            ["Personal Income and Outlays", "Core PCE YoY"]
          ] as const
        ) assert.deepStrictEqual(timesOf(name), timesOf(events, right), name)
        const auctioned = value.filter(({ name }) => name.endsWith(" Auction")).map(({ name }) => name)
        assert.sameMembers([...new Set(auctioned)], [
          ...["4-Week", "13-Week", "17-Week"].map((term) => `${term} Bill Auction`),
          ...["10-Year Note", "10-Year TIPS", "30-Year Bond"].map((security) => `${security} Auction`)
        ])
        for (
          const [soldDate, tenorOf] of [
            // A 17-week bill that reopens with 4 weeks left is announced as a 4-week bill.
            ["17-Week Bill", "6M"],
            ["4-Week Bill", "1M"],
            // Notes, bonds and TIPS reopen with some months less, and keep their original term.
            ["10-Year Note", "10Y"],
            ["30-Year Bond", "30Y"],
            ["10-Year TIPS", "10Y"]
          ] as const
        ) {
          const auctions = value.filter(({ name }) => name === `${soldDate} Auction`)
          assert.isAbove(auctions.length, 4)
          for (const [i, { actual, previous, time }] of auctions.entries()) {
            assert.strictEqual(actual === null, time! > now)
            if (i > 0) assert.strictEqual(previous, auctions[i - 1]!.actual)
            if (actual === null) continue
            const yields = (yield* curveAt("US", time!)).find(({ tenor }) => tenor === tenorOf)!
            assert.closeTo(actual, yields.yieldPct, 0.0006)
          }
        }
        assert.isTrue(value.every(({ forecast }) => forecast === null))
      })
    ))

  it.live("leaves out a source that fails while another one answers, and fails if none does", () =>
    live((calendar, { bls }) =>
      Effect.gen(function*() {
        bls.fail({ _tag: "answer", status: 403, body: "<html></html>", headers: { "content-type": "text/html" } })
        const { sources } = yield* calendar.events({ ...week, country: "US" })
        assert.deepStrictEqual(sources, ["bea", "federal_reserve", "us_treasury"])
        assert.strictEqual(bls.requests[0]!.headers["user-agent"], "Tapeline somebody@example.com")
        const error = yield* live((other, wire) => {
          for (const server of [wire.auctions, wire.bea, wire.fed, wire.bls]) {
            server.fail({ _tag: "answer", status: 404, body: {} })
          }
          return Effect.flip(other.events({ ...week, country: "US" }))
        })
        assert.strictEqual(error._tag, "SourceUnavailable")
      })
    ))

  it.live("rejects an invalid yield", () =>
    live((calendar, { treasury }) =>
      Effect.gen(function*() {
        yield* calendar.yieldCurve("US")
        const text = treasury.newestBody()
        for (const invalidYield of ["NaN", "1e999", "999", "<a/>"]) {
          const error = yield* live((other, wire) => {
            wire.treasury.fail({
              _tag: "rewritten",
              rewrite: () => text.replace(/(<d:BC_10YEAR[^>]*>)[^<]*/u, `$1${invalidYield}`)
            })
            return Effect.flip(other.yieldCurve("US"))
          })
          assert.deepInclude(error, { failure: "malformed", source: "us_treasury" }, invalidYield)
        }
      })
    ))
})
