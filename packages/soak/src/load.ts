import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { ServiceNode } from "./node.ts"
import type { RandomSource } from "./randomStream.ts"

export interface Customer {
  readonly account: number
  readonly key: string
}

export interface Call {
  readonly customer: Customer
  /** The idempotency key of the call, or null for a call that is not repeated. */
  readonly idempotencyKey: string | null
  readonly body: string
  readonly responses: Array<string>
  /** Whether the call has a final response: a result, a failed call, or a rejection. */
  isSettled: boolean
  /** Whether an attempt of the call had no response or a 503, so that the call may have been charged. */
  isDoubtful: boolean
  charged: number
  /** The time of the first attempt, by `performance.now()`. */
  readonly beganAt: number
  /** The time of the successful response, by `performance.now()`, or null. */
  answeredAt: number | null
}

/** Maps each kind of response that no injected fault explains to an example. */
export type UnexpectedResponses = Map<string, string>

export interface Load {
  readonly calls: ReadonlyArray<Call>
  readonly unexpectedResponses: UnexpectedResponses
  /** Stops starting new calls, and waits until each repeatable call is answered, or until `timeoutMs` have passed. */
  readonly finish: (timeoutMs: number) => Promise<void>
}

/** The maximum time in ms that a caller waits for a response, longer than the service's own limit. */
const responseTimeoutMs = 15_000

const retryableStatuses: ReadonlySet<number> = new Set([409, 429, 503])

const sendOnce = async (baseUrl: string, call: Call, unexpectedResponses: UnexpectedResponses): Promise<void> => {
  const response = await fetch(`${baseUrl}/v1/tools/get_price`, {
    method: "POST",
    signal: AbortSignal.timeout(responseTimeoutMs),
    headers: {
      authorization: `Bearer ${call.customer.key}`,
      "content-type": "application/json",
      ...(call.idempotencyKey === null ? {} : { "idempotency-key": call.idempotencyKey })
    },
    body: call.body
  })
  const text = await response.text()
  if (response.status === 200) {
    // The cast is safe, because every successful response of a tool contains `credits_used`.
    const { credits_used } = JSON.parse(text) as { readonly credits_used: number }
    // A failed call releases its idempotency key, so only a charged call returns the same response again.
    call.responses.push(text)
    call.charged = Math.max(call.charged, credits_used)
    call.answeredAt = performance.now()
    call.isSettled = true
  } else if (response.status === 402) {
    call.isSettled = true
  } else if (retryableStatuses.has(response.status)) {
    call.isDoubtful ||= response.status === 503
  } else {
    unexpectedResponses.set(`a response with the status ${response.status}`, text.slice(0, 300))
    call.isSettled = true
  }
}

export const startLoad = (
  callers: number,
  customers: ReadonlyArray<Customer>,
  nodes: ReadonlyArray<ServiceNode>,
  randomOfCaller: (caller: number) => RandomSource
): Load => {
  const calls: Array<Call> = []
  const unexpectedResponses: UnexpectedResponses = new Map()
  const loadState = { stopping: false, deadline: Infinity }

  const makeCall = (random: RandomSource): Call => {
    const call: Call = {
      customer: random.pick(customers),
      idempotencyKey: random.chance(0.8) ? randomUUID() : null,
      body: JSON.stringify({ coin: random.chance(0.1) ? "NOPE" : random.pick(["BTC", "ETH", "SOL"]) }),
      responses: [],
      isSettled: false,
      isDoubtful: false,
      charged: 0,
      beganAt: performance.now(),
      answeredAt: null
    }
    calls.push(call)
    return call
  }

  const repeatUntilAnswered = async (call: Call, random: RandomSource) => {
    while (!call.isSettled && performance.now() < loadState.deadline) {
      const baseUrl = random.pick(nodes).address()
      if (baseUrl !== null) {
        try {
          await sendOnce(baseUrl, call, unexpectedResponses)
        } catch {
          call.isDoubtful = true
        }
      }
      if (call.idempotencyKey === null && (call.isSettled || call.isDoubtful)) return
      if (!call.isSettled) await sleep(random.integer(20, 200))
    }
  }

  const callerLoops = Array.from({ length: callers }, async (_, caller) => {
    const random = randomOfCaller(caller)
    while (!loadState.stopping) {
      await repeatUntilAnswered(makeCall(random), random)
      await sleep(random.integer(0, 20))
    }
  })

  return {
    calls,
    unexpectedResponses,
    finish: async (timeoutMs) => {
      loadState.stopping = true
      loadState.deadline = performance.now() + timeoutMs
      await Promise.all(callerLoops)
    }
  }
}
