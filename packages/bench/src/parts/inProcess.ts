/**
 * Measures the CPU time of a `get_price` call in process on memory stores, and of each part of the call, with 64
 * concurrent callers. The result is printed as one line of JSON, in microseconds.
 */
import {
  Authenticator,
  DerivedStore,
  getPrice,
  layerEngine,
  Ledger,
  RequestRateLimiter,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { layerSimulatedMarket } from "@tapeline/server"
import { createKeyedAccount, MemoryState, MemoryStores } from "@tapeline/testing"
import { Effect, Layer, Schema } from "effect"
import { plans } from "../load/settings.ts"
import { median } from "../report.ts"

const callers = 64
const isQuick = process.argv.includes("--quick")
const rounds = isQuick ? 3 : 9
const callsPerRound = isQuick ? 12_800 : 32_000

const market = DerivedStore.layer.pipe(Layer.provideMerge(layerSimulatedMarket(1)))
const engine = layerEngine({ toolbox: Toolbox.layer(tools), plans }).pipe(
  Layer.provideMerge(Layer.merge(MemoryStores, market))
)

/** Measures the CPU time of `part` in microseconds, while `callers` callers repeat `part` concurrently. */
const measureCpuUs = Effect.fnUntraced(function*(part: Effect.Effect<unknown, unknown>) {
  const repeatPart = Effect.suspend(() => {
    let remaining = callsPerRound / callers
    return Effect.whileLoop({ while: () => remaining-- > 0, body: () => part, step: () => undefined })
  })
  const before = process.cpuUsage()
  yield* Effect.all(Array.from({ length: callers }, () => repeatPart), { concurrency: "unbounded", discard: true })
  const { system, user } = process.cpuUsage(before)
  return (system + user) / callsPerRound
})

const program = Effect.gen(function*() {
  const caller = yield* ToolCaller
  const ledger = yield* Ledger
  const authenticator = yield* Authenticator
  const rateLimiter = yield* RequestRateLimiter
  const { entries } = yield* MemoryState
  const { key, principal } = yield* createKeyedAccount({ plan: "bench", scopes: ["read:market"] })
  const { handler, specification } = (yield* Toolbox).find(getPrice.name)!
  const args = { coin: "BTC" }
  const strictOptions = { errors: "all", onExcessProperty: "error" } as const
  const decode = Schema.decodeUnknownEffect(specification.parameters, strictOptions)
  const encode = Schema.encodeUnknownEffect(specification.result, strictOptions)
  const noPartCalls = { find: () => undefined, call: () => Effect.die(new Error("get_price calls no other tool")) }
  const context = {
    principal,
    language: "en",
    callId: "bench",
    limitMs: 10_000,
    conversation: null,
    parts: noPartCalls
  } as const
  const result = yield* handler(args, context)
  const request = {
    account: principal.account,
    actor: principal.actor,
    tool: specification.name,
    credits: specification.credits,
    ttlMs: 40_000,
    idempotency: null
  }
  const parts = {
    "decoding the arguments": Effect.suspend(() => decode(args)),
    "reserving and settling": Effect.flatMap(
      ledger.reserve(request),
      (admission) => admission._tag === "Admitted" ? ledger.settle(admission.reservation, null) : Effect.die(admission)
    ),
    "the handler": Effect.suspend(() => handler(args, context)),
    "encoding the result": Effect.suspend(() => encode(result)),
    "one after the other": Effect.flatMap(
      Effect.suspend(() => decode(args)),
      (args) =>
        Effect.flatMap(
          ledger.reserve(request),
          (admission) =>
            Effect.flatMap(handler(args, context), (result) =>
              Effect.flatMap(encode(result), (data) =>
                admission._tag === "Admitted"
                  ? Effect.as(ledger.settle(admission.reservation, null), data)
                  : Effect.die(admission)))
        )
    ),
    "whole call": Effect.suspend(() => caller.call({ principal, name: specification.name, arguments: args })),
    "key and ceiling": Effect.flatMap(authenticator.authenticate(key), rateLimiter.admit)
  }
  const samples = new Map<string, Array<number>>(Object.keys(parts).map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const [name, part] of Object.entries(parts)) {
      // Removes the rows of ended calls, because a database would store them on disk and not in the heap.
      entries.clear()
      const us = yield* measureCpuUs(part)
      if (round > 0) samples.get(name)!.push(us)
    }
  }
  return Object.fromEntries([...samples].map(([name, sample]) => [name, median(sample)]))
})

console.log(JSON.stringify(await Effect.runPromise(Effect.provide(program, engine))))
