import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Draw } from "./draw.ts"
import type { ServiceNode } from "./node.ts"

/** A customer with calls in the soak. */
export interface Customer {
  readonly account: number
  readonly key: string
}

/** The result of one call. */
export interface Call {
  readonly customer: Customer
  /** Null for a call that is not repeated. */
  readonly idempotencyKey: string | null
  readonly body: string
  /** The bodies of all its responses with status 200. */
  readonly answers: Array<string>
  /** Whether it has a final response: a result, a failed call, or a rejection. */
  settled: boolean
  /** Whether an attempt had no response or a 503, so that it may have been charged. */
  doubtful: boolean
  charged: number
}

/** Responses that no fault explains, with an example of each kind. */
export type Oddities = Map<string, string>

export interface Load {
  readonly calls: ReadonlyArray<Call>
  readonly oddities: Oddities
  /** Starts no new calls. Waits until each repeatable call is answered, or `withinMs` have passed. */
  readonly finish: (withinMs: number) => Promise<void>
}

/** The maximum wait of a caller for a response, which exceeds the service's own limit. */
const patienceMs = 15_000

/** Statuses after which the same call can be repeated. */
const passing: ReadonlySet<number> = new Set([409, 429, 503])

const tryOnce = async (address: string, call: Call, oddities: Oddities): Promise<void> => {
  const response = await fetch(`${address}/v1/tools/get_price`, {
    method: "POST",
    signal: AbortSignal.timeout(patienceMs),
    headers: {
      authorization: `Bearer ${call.customer.key}`,
      "content-type": "application/json",
      ...(call.idempotencyKey === null ? {} : { "idempotency-key": call.idempotencyKey })
    },
    body: call.body
  })
  const text = await response.text()
  if (response.status === 200) {
    // The envelope of every successful response.
    const { credits_used } = JSON.parse(text) as { readonly credits_used: number }
    // A failed call releases its key. A charged call keeps its response.
    call.answers.push(text)
    call.charged = Math.max(call.charged, credits_used)
    call.settled = true
  } else if (response.status === 402) {
    call.settled = true
  } else if (passing.has(response.status)) {
    call.doubtful ||= response.status === 503
  } else {
    oddities.set(`an answer of status ${response.status}`, text.slice(0, 300))
    call.settled = true
  }
}

/** Starts callers that make one call after another, on any listening node. */
export const startLoad = (
  callers: number,
  customers: ReadonlyArray<Customer>,
  nodes: ReadonlyArray<ServiceNode>,
  drawOfCaller: (caller: number) => Draw
): Load => {
  const calls: Array<Call> = []
  const oddities: Oddities = new Map()
  const until = { stopping: false, deadline: Infinity }

  const makeCall = (draw: Draw): Call => {
    const call: Call = {
      customer: draw.oneOf(customers),
      idempotencyKey: draw.chance(0.8) ? randomUUID() : null,
      body: JSON.stringify({ coin: draw.chance(0.1) ? "NOPE" : draw.oneOf(["BTC", "ETH", "SOL"]) }),
      answers: [],
      settled: false,
      doubtful: false,
      charged: 0
    }
    calls.push(call)
    return call
  }

  const answer = async (call: Call, draw: Draw) => {
    while (!call.settled && performance.now() < until.deadline) {
      const address = draw.oneOf(nodes).address()
      if (address !== null) {
        try {
          await tryOnce(address, call, oddities)
        } catch {
          call.doubtful = true
        }
      }
      if (call.idempotencyKey === null && (call.settled || call.doubtful)) return
      if (!call.settled) await sleep(draw.integer(20, 200))
    }
  }

  const work = Array.from({ length: callers }, async (_, caller) => {
    const draw = drawOfCaller(caller)
    while (!until.stopping) {
      await answer(makeCall(draw), draw)
      await sleep(draw.integer(0, 20))
    }
  })

  return {
    calls,
    oddities,
    finish: async (withinMs) => {
      until.stopping = true
      until.deadline = performance.now() + withinMs
      await Promise.all(work)
    }
  }
}
