import { assert } from "@effect/vitest"
import { type DerivedStore, runAsOf, specifications, Toolbox, tools } from "@tapeline/core"
import type { MarketPorts } from "@tapeline/core/market"
import { callHandler } from "@tapeline/testing/toolCalls"
import { Effect, Layer, Result } from "effect"

export type ToolOutcome = { readonly result: unknown } | { readonly failure: string; readonly message: string }

/** Calls tools on a market as of a given time. Each result has the tool's name and its arguments as JSON as the key. */
export const callTools = <E>(
  market: Layer.Layer<MarketPorts | DerivedStore, E>,
  questions: Readonly<Record<string, ReadonlyArray<object>>>,
  nowMs: number
): Effect.Effect<ReadonlyMap<string, ToolOutcome>, E> => {
  const selectedTools = Toolbox.layer(tools.filter(({ specification: { name } }) => Object.hasOwn(questions, name)))
  const callAll = Effect.gen(function*() {
    const outcomes = new Map<string, ToolOutcome>()
    for (const [name, all] of Object.entries(questions)) {
      const specification = specifications.find((one) => one.name === name) ?? assert.fail(`there is no ${name}`)
      for (const args of all) {
        const answer = yield* Effect.result(callHandler(specification, args))
        const failure = Result.isFailure(answer) ? answer.failure : undefined
        outcomes.set(
          `${name} ${JSON.stringify(args)}`,
          failure === undefined
            ? { result: Result.getOrThrow(answer) }
            : { failure: failure._tag === "ToolFailure" ? failure.code : failure._tag, message: failure.message }
        )
      }
    }
    return outcomes
  })
  return runAsOf(Effect.provide(callAll, Layer.provideMerge(selectedTools, market)), nowMs)
}
