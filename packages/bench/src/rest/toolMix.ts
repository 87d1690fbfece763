import { coinSpecs } from "@tapeline/market-sim"
import autocannon from "autocannon"

const mixedCalls = coinSpecs.flatMap(({ coin }) => [
  { tool: "get_price", arguments: { coin } },
  { tool: "get_indicators", arguments: { coin, tf: "4h" } },
  { tool: "get_score", arguments: { coin } },
  { tool: "get_price_history", arguments: { coin, tf: "1h", bars: 24 } },
  { tool: "get_market_overview", arguments: {} }
])

/** Creates new requests for each load test, because autocannon writes the headers into the requests. */
const createRequests = () =>
  mixedCalls.map(({ tool, ...call }) => ({
    method: "POST" as const,
    path: `/v1/tools/${tool}`,
    body: JSON.stringify(call.arguments)
  }))

/** Sends a mix of calls to a server. Returns the number of 200 responses, and a description of all other results. */
export const loadWithMix = async (
  { address, connections, key, seconds }: {
    readonly address: string
    readonly key: string
    readonly connections: number
    readonly seconds: number
  }
): Promise<{ readonly answeredCount: number; readonly rejection: string | undefined }> => {
  const requests = createRequests()
  let client = 0
  const result = await autocannon({
    url: address,
    connections,
    duration: seconds,
    timeout: 30,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    requests,
    // Each connection starts with another request, so that all tools and coins are requested at any time.
    setupClient: (connection) => {
      const offset = (client++ * 41) % requests.length
      connection.setRequests([...requests.slice(offset), ...requests.slice(0, offset)])
    }
  })
  const rejection = result.non2xx + result.errors > 0
    ? `${result.errors} errors, statuses ${JSON.stringify(result.statusCodeStats)}`
    : undefined
  return { answeredCount: result["2xx"], rejection }
}
