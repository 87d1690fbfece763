import {
  allScopes,
  type ArgumentsOf,
  type CallContext,
  defaultPlans,
  KeyStore,
  type Language,
  Ledger,
  type Payer,
  Plans,
  type Principal,
  Toolbox,
  ToolCaller,
  type ToolSpecification
} from "@tapeline/core/engine"
import { Effect, Layer, Schema, Stream } from "effect"

export const principal: Principal = { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes }

let callCount = 0

/** Creates the payer of a tool call. The default `call` is unique, so that no call returns a stored result. */
export const makePayer = (call = String(++callCount)): Payer => ({
  reservation: { account: 1, origin: 1 },
  call
})

/** Provides a `ToolCaller` for the tools of a toolbox. Tool calls with a payer must not use the ledger. */
export const layerToolCaller = <E, R>(toolbox: Layer.Layer<Toolbox, E, R>): Layer.Layer<ToolCaller, E, R> =>
  ToolCaller.layer.pipe(
    Layer.provide([
      toolbox,
      Layer.mock(Ledger)({}),
      Layer.mock(KeyStore)({ changes: Stream.empty }),
      Plans.layer(defaultPlans)
    ])
  )

/** Calls a tool by name, and returns the data of the result and the failure, if any. */
export const callByName = Effect.fnUntraced(function*(name: string, args: unknown, call?: string) {
  const caller = yield* ToolCaller
  const { envelope, failure } = yield* caller.call({ principal, name, arguments: args, payer: makePayer(call) })
  return { data: envelope.data, failure }
})

/** Returns the result of a call that must succeed. */
export const callTool = Effect.fnUntraced(function*<S extends ToolSpecification>(
  specification: S,
  args: ArgumentsOf<S>
) {
  const caller = yield* ToolCaller
  const { data } = yield* caller.call(specification, { principal, arguments: args, payer: makePayer() })
  return data
})

/**
 * Returns the failure of a call that must fail. `args` is not type-checked, so that tests can pass invalid arguments.
 */
export const callExpectingFailure = Effect.fnUntraced(function*({ name }: ToolSpecification, args: unknown) {
  const { failure } = yield* callByName(name, args)
  return failure ?? (yield* Effect.die(new Error(`${name} succeeded, although the test expects a failure`)))
})

/** The context for a tool handler that calls no other tools. */
export const callContext: CallContext = {
  principal,
  language: "en",
  callId: "1",
  limitMs: 10_000,
  conversation: null,
  parts: { find: () => undefined, call: () => Effect.die(new Error("these tools call no other tool")) }
}

/**
 * Calls a tool handler directly, without `ToolCaller`. Returns the result of the handler before the result is encoded.
 */
export const callHandler = Effect.fnUntraced(function*<S extends ToolSpecification>(
  specification: S,
  args: object,
  language: Language = "en"
) {
  const { handler } = (yield* Toolbox).find(specification.name)!
  const decodedArguments = Schema.decodeUnknownSync(specification.parameters)(args)
  const result: S["result"]["Type"] = yield* handler(decodedArguments, { ...callContext, language })
  return result
})

export const collectNumbers = (value: unknown): ReadonlyArray<number> =>
  typeof value === "number"
    ? [value]
    : typeof value === "object" && value !== null
    ? Object.values(value).flatMap(collectNumbers)
    : []
