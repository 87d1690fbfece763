/** Creates incorrect adapters, with which tests of the contract suites prove that a named check fails. */
import { assert, describe, it } from "@effect/vitest"
import {
  makeReading,
  mapReading,
  type MarketPorts,
  type MarketRead,
  type Reading,
  type SteppedInterval
} from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { layerGappyMarket } from "./markets.ts"

type ValueOf<M> = M extends MarketRead<infer A> | ((query: never) => MarketRead<infer A>) ? A : never
type QueryOf<M> = M extends (query: infer Q) => unknown ? Q : undefined

/** For each changed member of a port, the function that changes the returned value. */
export type Changes<S> = { readonly [K in keyof S]?: (value: ValueOf<S[K]>, query: QueryOf<S[K]>) => ValueOf<S[K]> }

type Change = (reading: Reading<unknown>, query: unknown) => Reading<unknown>

const changeMembers = <S extends object>(
  original: S,
  changes: ReadonlyArray<readonly [string, Change]>
): Partial<S> => {
  // Each member of a market port is an effect that reads data, or a function of one query that returns such an effect.
  const members = original as {
    readonly [name: string]: MarketRead<unknown> | ((query: unknown) => MarketRead<unknown>)
  }
  const changedMembers = changes.map(([name, change]) => {
    const member = members[name]!
    return [
      name,
      Effect.isEffect(member)
        ? Effect.map(member, (reading) => change(reading, undefined))
        : (query: unknown) => Effect.map(member(query), (reading) => change(reading, query))
    ]
  })
  // The type cast is safe, because the result has the names of the port's members and readings of the same types.
  return Object.fromEntries(changedMembers) as Partial<S>
}

/** Creates incorrect adapters of a port. Each adapter is correct except for the replaced members. */
export const makeFaultyAdapter = <I extends MarketPorts, S extends object>(
  port: Context.Key<I, S>,
  base: Layer.Layer<MarketPorts> = layerGappyMarket
) => {
  const replace = (faultyMembers: (original: S) => Partial<S>): Layer.Layer<I> =>
    Layer.effect(
      port,
      Effect.map(Effect.context<MarketPorts>(), (ports) => {
        const original = Context.get(ports, port)
        return { ...original, ...faultyMembers(original) }
      })
    ).pipe(Layer.provide(base))
  return {
    replace,

    /** Changes the values that the port's members return, and the time of the values if `asOf` is given. */
    change: (changes: Changes<S>, asOf?: number) => {
      // The type cast is safe, because each function receives only values and queries of the member with the function's
      // name.
      const all = Object.entries(changes) as ReadonlyArray<[string, (value: unknown, query: unknown) => unknown]>
      const changesByName = all.map(([name, change]): [string, Change] => [
        name,
        (reading, query) => makeReading(change(reading.value, query), reading.sources, asOf ?? reading.asOf)
      ])
      return replace((original) => changeMembers(original, changesByName))
    },

    /** Changes the times (`asOf`) of the readings that members return. */
    setAsOf: (times: { readonly [K in keyof S]?: number | ((value: ValueOf<S[K]>) => number) }) => {
      // The type cast is safe, because each function receives only values of the member with the function's name.
      const all = Object.entries(times) as ReadonlyArray<[string, number | ((value: unknown) => number)]>
      const changesByName = all.map(([name, time]): [string, Change] => [
        name,
        ({ sources, value }) => makeReading(value, sources, typeof time === "number" ? time : time(value))
      ])
      return replace((original) => changeMembers(original, changesByName))
    }
  }
}

export const mapReadingValue = <A>(read: MarketRead<A>, change: (value: A) => A): MarketRead<A> =>
  Effect.map(read, (one) => mapReading(one, change))

/**
 * Returns a point at each step of a query. A missing point is replaced by the last known point, or by the result of
 * `fill`.
 */
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

interface Suite<I, Venue> {
  readonly port: string
  readonly failureOf: (title: string, layer: Layer.Layer<I>, venue: Venue) => Effect.Effect<string | null>
}

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
