/**
 * Adapters that lie, for tests of the contract suites: each of them must fail a check that a title names.
 */
import { assert, describe, it } from "@effect/vitest"
import { mapReading, type MarketPorts, type MarketRead, reading, type Stepped } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { patchy } from "./patchy.ts"

/** An adapter that tells the truth but for some methods. */
export const lying =
  <I extends MarketPorts, S extends object>(port: Context.Key<I, S>, base: Layer.Layer<MarketPorts> = patchy) =>
  (lies: (honest: S) => Partial<S>): Layer.Layer<I> =>
    Layer.effect(
      port,
      Effect.map(Effect.context<MarketPorts>(), (ports) => {
        const honest = Context.get(ports, port)
        return { ...honest, ...lies(honest) }
      })
    ).pipe(Layer.provide(base))

/** The same reading of another value. */
export const but = <A>(read: MarketRead<A>, lie: (value: A) => A): MarketRead<A> =>
  Effect.map(read, (one) => mapReading(one, lie))

/** The same value as of another time. */
export const asOf = <A>(read: MarketRead<A>, time: number): MarketRead<A> =>
  Effect.map(read, ({ sources, value }) => reading(value, sources, time))

/** Points at every instant of a query, each the last known one again, or made up where none is. */
export const filled = <A extends { readonly time: number }>(
  { from, stepMs, to }: Stepped,
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

/** What is asked of a contract suite here. */
interface Suite<I, Venue> {
  readonly port: string
  readonly failureOf: (title: string, layer: Layer.Layer<I>, venue: Venue) => Effect.Effect<string | null>
}

/** That each adapter fails the check it is held against. */
export const areCaught = <I, Venue>(
  suite: Suite<I, Venue>,
  venue: Venue,
  lies: ReadonlyArray<readonly [lie: string, check: string, layer: Layer.Layer<I>]>
): void => {
  describe(`a lie is caught: ${suite.port}`, () => {
    for (const [lie, check, layer] of lies) {
      it.effect(
        lie,
        () => Effect.map(suite.failureOf(check, layer, venue), (failure) => assert.isNotNull(failure, check))
      )
    }
  })
}
