import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { Draw } from "./draw.ts"
import type { ServiceNode } from "./node.ts"

/** Somebody whom the soak makes calls for. */
export interface Customer {
  readonly account: number
  readonly key: string
}

/** What became of one call. */
export interface Call {
  readonly customer: Customer
  /** Null for a call that is not repeated. */
  readonly idempotencyKey: string | null
  readonly body: string
  /** Every answer of status 200 that it got, as text. */
  readonly answers: Array<string>
  /** True once it was answered for good: done, failed properly, or refused. */
  settled: boolean
  /** True when a try was left without an answer, or with a 503: it may have been charged or not. */
  doubtful: boolean
  charged: number
}

/** Answers that no fault excuses, by what they were, with an example. */
export type Oddities = Map<string, string>

export interface Load {
  readonly calls: ReadonlyArray<Call>
  readonly oddities: Oddities
  /** No new calls; goes on until each that may be repeated is answered, or `withinMs` have passed. */
  readonly finish: (withinMs: number) => Promise<void>
}

/** The longest that a caller waits for one answer: more than the service may take. */
const patienceMs = 15_000

/** Statuses that say "not now": the same call may be made again. */
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
    // The envelope of every answered call.
    const { credits_used } = JSON.parse(text) as { readonly credits_used: number }
    // A failed call leaves its key free; a charged one is its answer for ever.
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

/** Callers that go on, each with one call after the other, on whichever node listens. */
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
