import { Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { Agent as HttpAgent, request as httpRequest } from "node:http"
import { Agent as HttpsAgent, request as httpsRequest } from "node:https"
import { setTimeout as pause } from "node:timers/promises"
import type { ReverseProxy } from "./reverseProxies.ts"

const callersPerLoad = 2
const pauseBetweenCallsMs = 5

/** Sends calls through a proxy, each once, until `stop` is called. */
export const startCalls = ({ address }: ReverseProxy, key: string, isKeyed: boolean) => {
  const isTls = address.startsWith("https:")
  const agent = new (isTls ? HttpsAgent : HttpAgent)({ keepAlive: true })
  const sendCall = (): Promise<string> =>
    new Promise((resolve) => {
      const request = (isTls ? httpsRequest : httpRequest)(`${address}/v1/tools/get_price`, {
        method: "POST",
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          ...(isKeyed ? { "idempotency-key": crypto.randomUUID() } : {})
        }
      }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (part) => text += part)
        response.once("error", (error) => resolve(String(error)))
        response.once("end", () => resolve(response.statusCode === 200 ? "" : `${response.statusCode} ${text}`))
      })
      request.once("error", (error) => resolve(String(error)))
      request.end(JSON.stringify({ coin: "BTC" }))
    })
  const stopping = new AbortController()
  let answered = 0
  const failures: Array<string> = []
  const runCaller = async () => {
    while (!stopping.signal.aborted) {
      const failure = await sendCall()
      if (failure === "") answered++
      else failures.push(`${new Date().toISOString()} ${failure}`)
      await pause(pauseBetweenCallsMs)
    }
  }
  const callers = Array.from({ length: callersPerLoad }, runCaller)
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all(callers)
      agent.destroy()
      return { answered, failures }
    }
  }
}

/** Returns a function that runs a statement. Counts are numbers in the returned rows, because JSON has no `bigint`. */
export const makeAuditQuery = (sql: SqlClient) => (statement: string) =>
  Effect.runPromise(
    Effect.map(sql.unsafe<Readonly<Record<string, unknown>>>(statement), (rows) =>
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value])
        )
      ))
  )
