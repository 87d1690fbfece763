import { coinSpecs } from "@tapeline/market-sim"
import autocannon from "autocannon"

/** Five tools over every coin. */
const calls = coinSpecs.flatMap(({ coin }) => [
  { tool: "get_price", arguments: { coin } },
  { tool: "get_indicators", arguments: { coin, tf: "4h" } },
  { tool: "get_score", arguments: { coin } },
  { tool: "get_price_history", arguments: { coin, tf: "1h", bars: 24 } },
  { tool: "get_market_overview", arguments: {} }
])

/** Creates new requests for each load, because autocannon writes the headers into them. */
const makeRequests = () =>
  calls.map(({ tool, ...call }) => ({
    method: "POST" as const,
    path: `/v1/tools/${tool}`,
    body: JSON.stringify(call.arguments)
  }))

/**
 * Loads a server with the mix for some seconds. Returns the number of 200 responses, and a description of other
 * results.
 */
export const loadMix = async (
  { address, connections, key, seconds }: {
    readonly address: string
    readonly key: string
    readonly connections: number
    readonly seconds: number
  }
): Promise<{ readonly answered: number; readonly refused: string | undefined }> => {
  const requests = makeRequests()
  let client = 0
  const found = await autocannon({
    url: address,
    connections,
    duration: seconds,
    timeout: 30,
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    requests,
    // Each connection starts at another request, so that all tools and coins are requested at any time.
    setupClient: (connection) => {
      const from = (client++ * 41) % requests.length
      connection.setRequests([...requests.slice(from), ...requests.slice(0, from)])
    }
  })
  const refused = found.non2xx + found.errors > 0
    ? `${found.errors} errors, statuses ${JSON.stringify(found.statusCodeStats)}`
    : undefined
  return { answered: found["2xx"], refused }
}
