import { assert, it } from "@effect/vitest"
import type { ProbeResult } from "@tapeline/market-live"
import { formatProbeReport } from "../src/market/probeReport.ts"

const makeProbeResult = (
  source: string,
  outcome: ProbeResult["outcome"],
  reason: string | null = null
): ProbeResult => ({
  source,
  label: "candles",
  outcome,
  rowCount: outcome === "answered" ? 12 : null,
  reason,
  tookMs: 40
})

it("reports the outcome and duration of each request, and the sources by kind of failure", () => {
  const { lines, isSound } = formatProbeReport([
    makeProbeResult("ecos", "not_configured", "it needs a key: set TAPELINE_ECOS_KEY"),
    makeProbeResult("binance", "blocked", "it does not serve this place (status 403); bybit tells the same"),
    makeProbeResult("okx", "unreachable", "the connection failed (ECONNREFUSED)"),
    makeProbeResult("binance", "blocked", "it does not serve this place (status 403); bybit tells the same"),
    makeProbeResult("bybit", "answered")
  ])
  assert.isTrue(isSound)
  assert.deepStrictEqual(lines, [
    "ok           bybit           candles (40 ms), 12 rows",
    "needs a key  ecos            candles (40 ms): it needs a key: set TAPELINE_ECOS_KEY",
    "blocked      binance         candles (40 ms): it does not serve this place (status 403); bybit tells the same",
    "unreachable  okx             candles (40 ms): the connection failed (ECONNREFUSED)",
    "blocked      binance         candles (40 ms): it does not serve this place (status 403); bybit tells the same",
    "",
    "needs a key: ecos",
    "blocked: binance",
    "unreachable: okx",
    "1 of 5 requests were answered; no schema changes: all responses have the expected format"
  ])
  assert.isFalse(lines.some((line) => line.includes("HTTPS_PROXY")))
  const unreachableReport = formatProbeReport([
    makeProbeResult("okx", "unreachable"),
    makeProbeResult("ecos", "not_configured")
  ])
  assert.isFalse(unreachableReport.isSound)
  assert.match(unreachableReport.lines.join("\n"), /^no source is reachable: check the network; .*HTTPS_PROXY/mu)
  assert.isFalse(formatProbeReport([makeProbeResult("okx", "malformed"), makeProbeResult("bybit", "answered")]).isSound)
})
