import { assert, it } from "@effect/vitest"
import { ExchangeRates, type SourceUnavailable } from "@tapeline/core/market"
import { AutoAdvancingClock, type FakeServer, makeEcb, makeFakeServer } from "@tapeline/wire"
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { EcbRates, layerEcbRates, SourceHealth } from "../../src/index.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T12:33:21.500Z")
const dayMs = 86_400_000
const rates = Context.get(sharedPorts, ExchangeRates)

faultSuite<EcbRates>({
  source: "ecb",
  handleRequest: makeEcb(rates),
  now,
  layer: (baseUrl, retryPolicy) => layerEcbRates({ baseUrl, retryPolicy }),
  requests: [{
    name: "reference rates",
    send: Effect.flatMap(EcbRates, (ecb) => ecb.usdKrw({ from: now - 4 * dayMs, to: now })),
    byClock: "rows",
    // A changed rate has no effect if its day is outside the requested interval.
    optionalLeaves: ["0:1:0:0:0", "0:0:0:0:0"].flatMap((series) =>
      Array.from({ length: 20 }, (_, i) => `dataSets.series.${series}.observations.${i}.0`)
    )
  }],
  errorsInBody: {
    "an error object": [{ errors: [{ code: 100, message: "No results found" }] }, "malformed"]
  }
})

const overWire = <A>(
  use: (rates: EcbRates["Service"], server: FakeServer) => Effect.Effect<A, SourceUnavailable, Scope.Scope>
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeEcb(rates))
    const layer = Layer.provide(layerEcbRates({ baseUrl: server.url }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), EcbRates), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

it.live("returns one rate per working day, dated at a quarter past two in Frankfurt", () =>
  overWire((ecb, server) =>
    Effect.gen(function*() {
      const { value } = yield* ecb.usdKrw({ from: Date.parse("2026-10-20"), to: now })
      const times = value.map(({ quotedAt }) => new Date(quotedAt).toISOString())
      // Summer time ends on 25 October, 11 November is a holiday, and the rate of the current day is not published yet.
      assert.deepStrictEqual([times[0], times[3], times[4], times.at(-1)], [
        "2026-10-20T12:15:00.000Z",
        "2026-10-23T12:15:00.000Z",
        "2026-10-26T13:15:00.000Z",
        "2026-11-19T13:15:00.000Z"
      ])
      assert.lengthOf(times, 22)
      assert.notInclude(times.join(), "2026-11-11")
      for (const { quotedAt, rate } of value) {
        const known = (yield* Effect.orDie(rates.rate({ pair: "usd_krw", time: quotedAt }))).value.rate
        assert.closeTo(rate, known, 1e-9 * known)
      }
      // The requested interval is extended, because the ECB rejects a short interval without a rate.
      const { value: weekendRates } = yield* ecb.usdKrw({
        from: Date.parse("2026-11-14"),
        to: Date.parse("2026-11-16")
      })
      assert.deepStrictEqual(weekendRates, [])
      assert.deepStrictEqual(server.requests.map(({ query }) => query.toString()), [
        "startPeriod=2026-10-20&endPeriod=2026-11-20&detail=dataonly&format=jsondata",
        "startPeriod=2026-11-02&endPeriod=2026-11-16&detail=dataonly&format=jsondata"
      ])
    })
  ))

it.live("identifies currencies by name, not by position, and rejects an invalid rate", () =>
  overWire((ecb, server) =>
    Effect.gen(function*() {
      const ask = ecb.usdKrw({ from: now - 4 * dayMs, to: now })
      const { value: right } = yield* ask
      const text = server.newestBody()
      const swappedText = text.replace(/"0:(\d):0:0:0"/gu, (_, n: string) => `"0:${1 - Number(n)}:0:0:0"`)
        .replace(`"KRW","name":"KRW"},{"id":"USD","name":"USD"`, `"USD","name":"USD"},{"id":"KRW","name":"KRW"`)
      server.fail({ _tag: "rewritten", rewrite: () => swappedText })
      assert.deepStrictEqual((yield* ask).value, right)
      for (const invalidRate of [`"1.08"`, "0", "-1", `"NaN"`, "1e999", "{}", "true"]) {
        server.fail({ _tag: "rewritten", rewrite: () => text.replace(/\[\d[\d.]*\]/u, `[${invalidRate}]`) })
        assert.strictEqual((yield* Effect.flip(ask)).failure, "malformed", invalidRate)
      }
      server.fail({ _tag: "rewritten", rewrite: () => text.replaceAll(`"KRW"`, `"KPW"`) })
      assert.strictEqual((yield* Effect.flip(ask)).failure, "malformed")
    }).pipe(Effect.orDie)
  ))
