import {
  allScopes,
  type ArgumentsOf,
  type CallContext,
  defaultPlans,
  type Language,
  Ledger,
  type Payer,
  Plans,
  type Principal,
  Toolbox,
  ToolCaller,
  type ToolSpecification
} from "@tapeline/core/engine"
import { Effect, Layer, Schema } from "effect"

export const principal: Principal = { account: 1, actor: { _tag: "Key", key: 1 }, plan: "pro", scopes: allScopes }

let callCount = 0

/** Returns an answer that pays for a call, with a unique call name, so that the call gets no stored result. */
export const makePayer = (call = String(++callCount)): Payer => ({
  reservation: {
    entry: 1,
    account: 1,
    month: "2026-11",
    tool: "agent.answer",
    credits: 40,
    origin: 1,
    reservedAt: 0,
    expiresAt: 1
  },
  call
})

/** Calls the tools of a toolbox. Any use of the ledger is a defect, because calls with a payer reserve nothing. */
export const layerToolCaller = <E, R>(toolbox: Layer.Layer<Toolbox, E, R>): Layer.Layer<ToolCaller, E, R> =>
  ToolCaller.layer.pipe(
    Layer.provide([toolbox, Layer.mock(Ledger)({}), Plans.layer(defaultPlans)])
  )

/** Calls a tool by name, as a transport does, and returns the result and the failure. */
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

/** Returns the failure of a call that must fail, whose arguments are not checked at compile time. */
export const callExpectingFailure = Effect.fnUntraced(function*({ name }: ToolSpecification, args: unknown) {
  const { failure } = yield* callByName(name, args)
  return failure ?? (yield* Effect.die(new Error(`${name} answered`)))
})

/** The context of a call that calls no other tool. */
export const callContext: CallContext = {
  principal,
  language: "en",
  callId: "1",
  limitMs: 10_000,
  conversation: null,
  parts: { find: () => undefined, call: () => Effect.die(new Error("these tools call no other tool")) }
}

/** Returns the unencoded result of a tool's handler, without `ToolCaller`. */
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
