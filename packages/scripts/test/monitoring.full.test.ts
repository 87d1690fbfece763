import { findProgram, skipWithoutProgram } from "@tapeline/testing/programs"
import { Schema } from "effect"
import { execFile, spawn } from "node:child_process"
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import {
  findMetrics,
  prometheusFolder,
  readAlertRules,
  readDashboards,
  withoutVariables
} from "../src/monitoring/queries.ts"
import { servedMetrics } from "../src/monitoring/servedMetrics.ts"
import { type ServerProcess, startServer } from "../src/serverProcess.ts"

const adminToken = "token-of-the-monitoring-test"

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    // The server listens on TCP, so its address has a port.
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port))
  })

let folder: string
let server: ServerProcess

const scrape = async (): Promise<string> => {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })
  return response.text()
}

/** The metrics of the server at a time when an answer is running. */
let metricsDuringAnswer = ""

/**
 * A model provider that rejects each request, so that the server serves metrics of failed requests. Before the
 * rejection, the provider reads the server's metrics while the answer is still running.
 */
const provider = createHttpServer((request, response) => {
  request.resume()
  const reject = () =>
    response.writeHead(401, { "content-type": "application/json" }).end("{\"error\":{\"message\":\"wrong key\"}}")
  void scrape().then((text) => {
    metricsDuringAnswer = text
  }).finally(reject)
})

/** Uses the server, so that it also serves the metrics that appear with their first use. */
const useServer = async (): Promise<void> => {
  const key = /tl_live_\w+/u.exec(server.startOutput)![0]
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const post = async (path: string, body: object) => {
    const response = await fetch(`${server.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    return response.text()
  }
  await post("/v1/tools/get_price", { coin: "BTC" })
  expect(await post("/v1/agent/stream", { message: "How is BTC doing?" })).toContain("model_refused")
  const stop = new AbortController()
  await fetch(`${server.url}/v1/notifications/stream`, { headers, signal: stop.signal })
  stop.abort()
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tapeline-monitoring-"))
  const providerPort = await listen(provider)
  server = await startServer({
    PORT: "0",
    TAPELINE_DATA_DIR: join(folder, "data"),
    TAPELINE_ADMIN_TOKEN: adminToken,
    OPENAI_BASE_URL: `http://127.0.0.1:${providerPort}/v1`,
    OPENAI_MODEL: "rejecting-model"
  }, /How is BTC doing\?/u)
  await useServer()
}, 120_000)

afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}, 30_000)

it("serves each listed metric, with the listed labels", async () => {
  const isExpected = (name: string) => servedMetrics[name]!.absence === undefined
  const served = new Set<string>()
  await vi.waitFor(async () => {
    const text = await scrape()
    for (const [, series, labels = ""] of text.matchAll(/^([a-z]\w*)(?:\{(.*)\})? \S+$/gmu)) {
      // Metrics of the library can change with its version, so rules and dashboards do not use them.
      if (series!.startsWith("effect_")) continue
      const name = servedMetrics[series!] !== undefined ? series! : series!.replace(/_(bucket|sum|count)$/u, "")
      served.add(name)
      const found = [...labels.matchAll(/(\w+)="(?:[^"\\]|\\.)*"/gu)].map(([, label]) => label!).filter((label) =>
        label !== "le" && label !== "error_type"
      )
      const listed = servedMetrics[name]?.labels.filter((label) => label !== "error_type")
      expect(found.sort(), series).toEqual([...listed ?? ["not listed"]].sort())
    }
    expect(Object.keys(servedMetrics).filter((name) => isExpected(name) && !served.has(name))).toEqual([])
  }, { timeout: 30_000, interval: 500 })
  expect(await scrape()).toMatch(/^gen_ai_client_operation_duration_count\{.*error_type="ModelRefused".*\} 1$/mu)
}, 60_000)

it("serves the number and the start of running answers", async () => {
  const [, startTime] = /^tapeline_agent_oldest_start_time_seconds (\S+)$/mu.exec(metricsDuringAnswer) ?? []
  expect(Math.abs(Date.now() / 1_000 - Number(startTime))).toBeLessThan(300)
  expect(metricsDuringAnswer).toMatch(/^tapeline_agent_running 1$/mu)
  await vi.waitFor(async () => {
    const text = await scrape()
    expect(text).toMatch(/^tapeline_agent_running 0$/mu)
    expect(text).toMatch(/^tapeline_agent_oldest_start_time_seconds 0$/mu)
  }, { timeout: 30_000, interval: 200 })
}, 60_000)

const QueryResult = Schema.Struct({
  status: Schema.String,
  error: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.Struct({ result: Schema.Array(Schema.Unknown) }))
})
const RulesResult = Schema.Struct({
  data: Schema.Struct({
    groups: Schema.Array(Schema.Struct({
      rules: Schema.Array(Schema.Struct({
        name: Schema.String,
        health: Schema.String,
        lastError: Schema.optionalKey(Schema.String),
        state: Schema.String
      }))
    }))
  })
})

const isInstalled = findProgram("promtool") !== null && findProgram("prometheus") !== null

describe("Prometheus", skipWithoutProgram("prometheus: install it, with promtool", isInstalled), () => {
  it("accepts the rules and the configuration, and their unit tests pass", async () => {
    const promtool = (...args: ReadonlyArray<string>) =>
      promisify(execFile)(findProgram("promtool")!, args, { cwd: prometheusFolder })
    expect((await promtool("check", "rules", "tapeline.rules.yaml")).stdout).toContain("SUCCESS")
    expect((await promtool("check", "config", "--syntax-only", "prometheus.yaml")).stdout).toContain("SUCCESS")
    expect((await promtool("test", "rules", "tapeline.rules.test.yaml")).stdout).toContain("SUCCESS")
  }, 60_000)

  describe("that scrapes a server", () => {
    let stop: () => Promise<void>
    let address: string

    const query = async (expr: string) => {
      const response = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(expr)}`)
      return Schema.decodeUnknownSync(QueryResult)(await response.json())
    }
    const hasResult = async (expr: string) => ((await query(expr)).data?.result.length ?? 0) > 0

    beforeAll(async () => {
      copyFileSync(join(prometheusFolder, "tapeline.rules.yaml"), join(folder, "tapeline.rules.yaml"))
      const configuration = readFileSync(join(prometheusFolder, "prometheus.yaml"), "utf8")
      const changed = configuration.replace("127.0.0.1:8787", new URL(server.url).host).replaceAll(": 15s", ": 1s")
      writeFileSync(join(folder, "prometheus.yaml"), changed)
      writeFileSync(join(folder, "tapeline-token"), adminToken)
      const portFinder = createServer()
      const port = await listen(portFinder)
      await new Promise((resolve) => portFinder.close(resolve))
      address = `http://127.0.0.1:${port}`
      const child = spawn(findProgram("prometheus")!, [
        `--config.file=${join(folder, "prometheus.yaml")}`,
        `--storage.tsdb.path=${join(folder, "series")}`,
        `--web.listen-address=127.0.0.1:${port}`
      ], { stdio: "ignore" })
      const exit = new Promise<void>((resolve) => child.once("close", () => resolve()))
      stop = () => {
        child.kill("SIGKILL")
        return exit
      }
      await vi.waitFor(async () => expect(await hasResult("up{job=\"tapeline\"} == 1")).toBe(true), {
        timeout: 60_000,
        interval: 500
      })
    }, 90_000)
    afterAll(() => stop(), 30_000)

    it("evaluates every rule without an error, and fires no alert", async () => {
      const rules = await vi.waitFor(async () => {
        const response = await fetch(`${address}/api/v1/rules`)
        const all = Schema.decodeUnknownSync(RulesResult)(await response.json()).data.groups.flatMap((group) =>
          group.rules
        )
        expect(all.filter(({ health }) => health === "unknown")).toEqual([])
        return all
      }, { timeout: 30_000, interval: 500 })
      expect(rules.map(({ name }) => name).sort()).toEqual(readAlertRules().map(({ alert }) => alert).sort())
      expect(rules.filter(({ health, state }) => health !== "ok" || state === "firing")).toEqual([])
    }, 60_000)

    it("evaluates every query of the dashboards without an error", async () => {
      expect((await query("sum(")).status).toBe("error")
      const expressions = readDashboards().flatMap(({ panels }) =>
        panels.flatMap(({ targets }) => targets.map(({ expr }) => withoutVariables(expr)))
      )
      for (const expr of expressions) expect(await query(expr), expr).toMatchObject({ status: "success" })
      const names = new Set(expressions.flatMap((expr) => findMetrics(expr).map(({ name }) => name)))
      for (const name of names) {
        const metric = servedMetrics[name.replace(/_(bucket|sum|count)$/u, "")] ?? servedMetrics[name]
        if (metric?.absence === undefined) expect(await hasResult(name), name).toBe(true)
      }
    }, 60_000)
  })
})
