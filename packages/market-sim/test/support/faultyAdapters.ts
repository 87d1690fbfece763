/** Incorrect adapters for tests of the contract suites: each of them must fail a named check. */
import { assert, describe, it } from "@effect/vitest"
import { makeReading, mapReading, type MarketPorts, type MarketRead, type SteppedInterval } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { layerGappyMarket } from "./markets.ts"

/** An adapter that is correct except for some methods. */
export const makeFaultyAdapter = <I extends MarketPorts, S extends object>(
  port: Context.Key<I, S>,
  base: Layer.Layer<MarketPorts> = layerGappyMarket
) =>
(faultyAdapters: (honest: S) => Partial<S>): Layer.Layer<I> =>
  Layer.effect(
    port,
    Effect.map(Effect.context<MarketPorts>(), (ports) => {
      const honest = Context.get(ports, port)
      return { ...honest, ...faultyAdapters(honest) }
    })
  ).pipe(Layer.provide(base))

/** Changes the value of a reading. */
export const mapReadingValue = <A>(read: MarketRead<A>, change: (value: A) => A): MarketRead<A> =>
  Effect.map(read, (one) => mapReading(one, change))

/** Changes the time of a reading. */
export const withAsOf = <A>(read: MarketRead<A>, time: number): MarketRead<A> =>
  Effect.map(read, ({ sources, value }) => makeReading(value, sources, time))

/** Points at each step of a query. A missing point repeats the last known one, or is made by `fill`. */
export const fillPoints = <A extends { readonly time: number }>(
  { from, stepMs, to }: SteppedInterval,
  points: ReadonlyArray<A>,
  fill: (last: A, time: number) => A = (last, time) => ({ ...last, time })
): ReadonlyArray<A> => {
  const all: Array<A> = []
  const end = points.at(-1)?.time ?? -Infinity
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= end; time += stepMs) {
    const last = points.findLast((point) => point.time <= time)
    if (last !== undefined) all.push(last.time === time ? last : fill(last, time))
  }
  return all
}

/** The part of a contract suite that is used here. */
interface Suite<I, Venue> {
  readonly port: string
  readonly failureOf: (title: string, layer: Layer.Layer<I>, venue: Venue) => Effect.Effect<string | null>
}

/** Asserts that each adapter fails its check. */
export const assertFaultsDetected = <I, Venue>(
  suite: Suite<I, Venue>,
  venue: Venue,
  faultyAdapters: ReadonlyArray<readonly [lie: string, check: string, layer: Layer.Layer<I>]>
): void => {
  describe(`${suite.port} contract suite rejects`, () => {
    for (const [change, check, layer] of faultyAdapters) {
      it.effect(
        change,
        () => Effect.map(suite.failureOf(check, layer, venue), (failure) => assert.isNotNull(failure, check))
      )
    }
  })
}
