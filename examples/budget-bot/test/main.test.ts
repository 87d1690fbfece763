import { NodeHttpServer } from "@effect/platform-node"
import { DerivedStore, layerEngine, pickTools, Toolbox, tools } from "@tapeline/core"
import { AdminToken, Draining, layerRoutes, makeNodeServer, Readiness, serve } from "@tapeline/http"
import { SimMarket } from "@tapeline/market-sim"
import { createKeyedAccount, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { HttpServer } from "effect/http"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, expect, it } from "vitest"
import { plan } from "../src/plan.ts"

const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
const plans = { tiny: { monthly_credits: 7, keys: 2, requests_per_minute: 1_000, answers_per_day: 1 } }
const service = serve(layerRoutes({ corsOrigins: [] })).pipe(
  Layer.provideMerge(NodeHttpServer.layer(makeNodeServer, { host: "127.0.0.1", port: 0 })),
  Layer.provide([
    Layer.succeed(AdminToken, Redacted.make("an-administration-token")),
    Layer.succeed(Readiness, { check: Effect.void }),
    Draining.layer
  ]),
  // The engine lacks `search_news`, so that one wish of the bot is not in the catalogue.
  Layer.provideMerge(layerEngine({
    toolbox: Toolbox.layer(pickTools(tools, ["get_market_overview", "get_price", "get_iv_metrics"])),
    plans
  })),
  Layer.provideMerge(MemoryStores),
  Layer.provide(market)
)
const runtime = ManagedRuntime.make(service)
let url = ""

beforeAll(async () => {
  url = HttpServer.formatAddress((await runtime.runPromise(HttpServer.HttpServer)).address)
}, 60_000)
afterAll(() => runtime.dispose())

const running = async (budget: number) => {
  const { key } = await runtime.runPromise(createKeyedAccount({ plan: "tiny" }))
  const env = {
    PATH: process.env["PATH"],
    TAPELINE_URL: url,
    TAPELINE_API_KEY: key,
    COINS: "BTC,NOSUCH",
    BUDGET: `${budget}`
  }
  const main = join(import.meta.dirname, "../src/main.ts")
  return (await promisify(execFile)(process.execPath, [main], { env, encoding: "utf8" })).stdout
}

it("spends at most its budget, and nothing for failed calls", async () => {
  const printed = await running(7)
  expect(printed).toContain("left out: search_news of BTC, not offered")
  expect(printed).toMatch(/^planned: 3 calls for 3 of 7 credits, 7 left this month$/m)
  expect(printed).toMatch(/^get_price of BTC: [\d.]+ USD$/m)
  expect(printed).toMatch(/^get_price of NOSUCH: CallFailed, /m)
  expect(printed).toMatch(/^spent: 2 of 7$/m)
}, 60_000)

it("makes no call if the month's credits do not cover the plan", async () => {
  expect(await running(13)).toMatch(/^planned: 5 calls for 13 of 13 credits, 7 left this month\nspent: 0 of 13$/m)
}, 60_000)

it("plans calls by value per credit", () => {
  const wishes = [{ tool: "dear", worth: 10 }, { tool: "cheap", worth: 2 }, { tool: "gone", worth: 99 }, {
    tool: "cheap",
    worth: 1
  }]
  const priceOf = new Map([["dear", 20], ["cheap", 1]])
  expect(plan(wishes, priceOf, 21)).toEqual({
    calls: [wishes[1], wishes[3]],
    credits: 2,
    skipped: [{ wish: wishes[0], reason: "too dear" }, { wish: wishes[2], reason: "not offered" }]
  })
  expect(plan(wishes, priceOf, 22).credits).toBe(22)
  expect(plan(wishes, priceOf, 0).calls).toEqual([])
})
