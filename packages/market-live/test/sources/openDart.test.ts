import { assert, describe, it } from "@effect/vitest"
import { EquityMarkets, makeReading, type MarketError } from "@tapeline/core/market"
import { equityMarketsContract } from "@tapeline/testing/contracts/equityMarkets"
import { waive } from "@tapeline/testing/contracts/waiver"
import { AutoAdvancingClock, type FakeServer, makeFakeServer, makeOpenDart, makeZip } from "@tapeline/wire"
import { Clock, Context, Effect, Layer } from "effect"
import { layerOpenDart, OpenDart, SourceHealth } from "../../src/index.ts"
import { getFilingKind } from "../../src/openDart/filingKind.ts"
import { openDartLimits } from "../../src/openDart/OpenDart.ts"
import { unzipText } from "../../src/openDart/unzip.ts"
import { faultSuite } from "../support/faultSuite.ts"
import { sharedPorts } from "../support/sharedWorld.ts"

const now = Date.parse("2026-11-20T08:33:21.500Z")
const key = "0123456789abcdef0123456789abcdef01234567"
const sim = Context.get(sharedPorts, EquityMarkets)
const atNow = <A, E>(read: Effect.Effect<A, E>) =>
  Effect.runSync(Effect.provideService(Effect.orDie(read), Clock.Clock, new AutoAdvancingClock(now, [])))

const smallMarkets: typeof sim = (() => {
  const stock = atNow(sim.stock("005930")).value
  const { value } = atNow(sim.filings({ symbol: "005930", limit: 3 }))
  return {
    ...sim,
    stocks: () => Effect.succeed(makeReading([stock], "simulated", now)),
    filings: () => Effect.succeed(makeReading(value, "simulated", now))
  }
})()
const corpCode = "00126000"
const page = { corpCode, from: now - 1e11, to: now, page: 1 }

faultSuite<OpenDart>({
  source: "opendart",
  handleRequest: makeOpenDart(smallMarkets, key),
  now,
  layer: (baseUrl, retryPolicy) => layerOpenDart({ baseUrl, retryPolicy, key }),
  hasKey: true,
  requests: [
    {
      name: "filings",
      send: Effect.flatMap(OpenDart, (dart) => dart.page(page)),
      // A company that is not listed has no stock code.
      optionalLeaves: ["list.stock_code"]
    },
    {
      name: "company",
      send: Effect.flatMap(OpenDart, (dart) => dart.company(corpCode)),
      optionalLeaves: ["corp_name_eng"]
    },
    { name: "companies", send: Effect.flatMap(OpenDart, (dart) => dart.companies) }
  ],
  errorsInBody: {
    "an unknown key": [{ status: "010", message: "등록되지 않은 키입니다." }, "not_configured"],
    "an exhausted quota": [{ status: "020", message: "요청 제한을 초과하였습니다." }, "rate_limited"],
    "maintenance": [{ status: "800", message: "시스템 점검" }, "unreachable"],
    "an invalid request": [{ status: "100", message: "필드의 부적절한 값" }, "malformed"]
  }
})

it("sends at most 20,000 requests a day", () => {
  assert.isAtMost(Math.min(...openDartLimits.map(({ weight, windowMs }) => weight * 86_400_000 / windowMs)), 20_000)
})

const live = <A>(
  use: (dart: OpenDart["Service"], server: FakeServer) => Effect.Effect<A, MarketError>,
  dartKey: string | undefined = key
) =>
  Effect.scoped(Effect.gen(function*() {
    const server = yield* makeFakeServer(makeOpenDart(sim, key))
    const layer = Layer.provide(layerOpenDart({ baseUrl: server.url, key: dartKey }), SourceHealth.layer)
    return yield* use(Context.get(yield* Layer.build(layer), OpenDart), server)
  })).pipe(Effect.provideService(Clock.Clock, new AutoAdvancingClock(now, [10_000, 25_000])))

describe("OpenDART", () => {
  it.live(
    "returns the filings of a company by date, and the newest of all companies",
    () =>
      live((dart) =>
        Effect.gen(function*() {
          for (const query of [{ symbol: "005930", limit: 20 }, { symbol: "035720", limit: 130 }, { limit: 30 }]) {
            const { asOf, sources, value } = yield* dart.filings(query)
            const { value: right } = yield* sim.filings(query)
            const withoutTimes = value.map(({ time, url, ...filing }) => filing)
            assert.deepStrictEqual(withoutTimes, right.map(({ time, url, ...filing }) => filing))
            assert.isTrue(value.every(({ time, url }) => time === null && /rcpNo=\d{14}$/u.test(url)))
            assert.deepStrictEqual(sources, ["opendart"])
            assert.isAtMost(asOf, now)
          }
          assert.strictEqual((yield* Effect.flip(dart.filings({ symbol: "AAPL", limit: 1 })))._tag, "UnknownSymbol")
        }).pipe(Effect.orDie)
      ),
    30_000
  )

  it.live("returns the exchange and the names of a company", () =>
    live((dart) =>
      Effect.gen(function*() {
        for (const symbol of ["005930", "035720"]) {
          const { value } = yield* dart.stock(symbol)
          const { value: right } = yield* sim.stock(symbol)
          assert.deepStrictEqual(
            [value.symbol, value.name, value.koreanName, value.exchange, value.country, value.currency],
            [symbol, right.name, right.koreanName, right.exchange, "KR", "KRW"]
          )
        }
        assert.strictEqual((yield* Effect.flip(dart.stock("AAPL")))._tag, "UnknownSymbol")
      }).pipe(Effect.orDie)
    ))

  it.live("names the setting if the key is missing or rejected, and never reveals the key", () =>
    Effect.gen(function*() {
      for (const key of [null, "another-key-of-nobody"]) {
        const errors = yield* live((dart, server) =>
          Effect.gen(function*() {
            const layerDart = layerOpenDart({ baseUrl: server.url })
            const openDart = key === null
              ? Context.get(yield* Layer.build(Layer.provide(layerDart, SourceHealth.layer)), OpenDart)
              : dart
            return [yield* Effect.flip(openDart.stock("005930")), yield* Effect.flip(openDart.filings({ limit: 3 }))]
          }).pipe(Effect.scoped, Effect.orDie), key ?? undefined)
        for (const error of errors) {
          assert.deepInclude(error, { failure: "not_configured", variable: "TAPELINE_OPENDART_KEY", retryable: false })
          assert.notInclude(error.message, "another-key")
        }
      }
    }))

  it.effect("meets the port's contract for filings", () =>
    Effect.gen(function*() {
      const layer = Layer.effect(
        EquityMarkets,
        Effect.gen(function*() {
          const server = yield* makeFakeServer(makeOpenDart(sim, key))
          const context = yield* Layer.build(
            Layer.provide(layerOpenDart({ baseUrl: server.url, key }), SourceHealth.layer)
          )
          const dart = Context.get(context, OpenDart)
          return EquityMarkets.of({
            ...sim,
            filings: (query) => query.symbol === "AAPL" ? sim.filings(query) : dart.filings(query)
          })
        })
      )
      const title = "filings have a date, a time if it is known, and are sorted newest last"
      const venue = {
        now,
        us: "AAPL",
        kr: "005930",
        listed: waive("it does not report when a stock was listed"),
        delisted: waive("it has only current listings")
      }
      assert.isNull(yield* equityMarketsContract.failureOf(title, layer, venue))
    }))

  it("derives the kind of a filing from its title", () => {
    const kinds = [
      "임원ㆍ주요주주특정증권등소유상황보고서",
      "[기재정정]사업보고서 (2025.12)",
      "단일판매ㆍ공급계약체결(자율공시)",
      "주요사항보고서(유상증자결정)",
      "주주총회소집결의",
      "기업설명회(IR)개최(안내공시)"
    ].map(getFilingKind)
    assert.deepStrictEqual(kinds, ["ownership", "earnings", "contract", "capital", "governance", "other"])
  })

  it("unpacks a valid archive up to the maximum size, and rejects any other", () => {
    const text = `<result>${"가나다".repeat(1_000)}</result>`
    for (const packed of [false, true]) {
      const archive = Buffer.from(makeZip("CORPCODE.xml", text, packed)).toString("latin1")
      assert.strictEqual(unzipText(archive, ".xml", 100_000), text)
      assert.isUndefined(unzipText(archive, ".json", 100_000))
      assert.isUndefined(unzipText(archive, ".xml", 100))
      const cutArchives = [archive.slice(0, -30), archive.slice(40), archive.replace("CORP", "QORP").slice(1)]
      for (const invalidArchive of [...cutArchives, archive + archive, ""]) {
        assert.isUndefined(unzipText(invalidArchive, ".xml", 100_000))
      }
      const corruptArchive = `${archive.slice(0, 60)}#${archive.slice(61)}`
      assert.isUndefined(unzipText(corruptArchive, ".xml", 100_000))
    }
  })
})
