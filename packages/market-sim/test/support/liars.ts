/** Incorrect adapters for tests of the contract suites: each of them must fail a named check. */
import { assert, describe, it } from "@effect/vitest"
import { mapReading, type MarketPorts, type MarketRead, reading, type Stepped } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { patchy } from "./patchy.ts"

/** An adapter that is correct except for some methods. */
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

/** Changes the value of a reading. */
export const but = <A>(read: MarketRead<A>, lie: (value: A) => A): MarketRead<A> =>
  Effect.map(read, (one) => mapReading(one, lie))

/** Changes the time of a reading. */
export const asOf = <A>(read: MarketRead<A>, time: number): MarketRead<A> =>
  Effect.map(read, ({ sources, value }) => reading(value, sources, time))

/** Points at each step of a query. A missing point repeats the last known one, or is made by `fill`. */
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

/** The part of a contract suite that is used here. */
interface Suite<I, Venue> {
  readonly port: string
  readonly failureOf: (title: string, layer: Layer.Layer<I>, venue: Venue) => Effect.Effect<string | null>
}

/** Asserts that each adapter fails its check. */
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
