import { type MarketPorts, type MarketRead, SourceUnavailable, UnknownSymbol } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"

type Fault = (read: MarketRead<unknown>, port: string) => MarketRead<unknown>

/** Returns a copy of a value after applying `replaceLeaf` to each leaf. Lists, maps and objects are not leaves. */
const mapLeaves = (value: unknown, replaceLeaf: (part: unknown) => unknown): unknown => {
  if (value instanceof Map) return new Map(Array.from(value, ([key, one]) => [key, mapLeaves(one, replaceLeaf)]))
  if (Array.isArray(value)) return value.map((one: unknown) => mapLeaves(one, replaceLeaf))
  if (ArrayBuffer.isView(value)) return value
  if (typeof value !== "object" || value === null) return replaceLeaf(value)
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapLeaves(one, replaceLeaf)]))
}

const mapValue = (replaceLeaf: (part: unknown) => unknown): Fault => (read) =>
  Effect.map(read, (reading) => ({ ...reading, value: mapLeaves(reading.value, replaceLeaf) }))

const failUnavailable = (failure: SourceUnavailable["failure"], retryAfterMs?: number): Fault => (_, port) =>
  Effect.fail(
    new SourceUnavailable({
      source: `source of ${port}`,
      failure,
      reason: `failure injected by the test: ${failure}`,
      retryable: true,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs })
    })
  )

/** The ways in which a data source fails, by name. */
export const faults = {
  unreachable: failUnavailable("unreachable"),
  busy: failUnavailable("rate_limited"),
  "busy for a while": failUnavailable("rate_limited", 6_001),
  unreadable: failUnavailable("malformed"),
  "without a setting": (_, port) =>
    Effect.fail(
      new SourceUnavailable({
        source: `source of ${port}`,
        failure: "not_configured",
        reason: "set THE_KEY",
        retryable: false,
        variable: "THE_KEY"
      })
    ),
  unknownSymbol: () => Effect.fail(new UnknownSymbol({ symbol: "NOTHERE" })),
  silent: () => Effect.never,
  /**
   * Replaces numbers by invalid numbers. Adapters must not return invalid numbers, but the callers of a port must
   * handle them.
   */
  "without numbers": mapValue((part) => typeof part === "number" ? Number.NaN : part),
  "beyond numbers": mapValue((part) => typeof part === "number" ? -Infinity : part),
  "of wrong types": mapValue((part) =>
    typeof part === "number" ? `${part}` : typeof part === "string" ? part.length : part
  )
} as const satisfies Record<string, Fault>

export type FaultName = keyof typeof faults

/** Market ports that forward to other ports and fail on request. */
export interface FaultyPorts {
  readonly layer: Layer.Layer<MarketPorts, never, MarketPorts>
  /** The names of all reads since the set was last cleared, such as `CoinPrices.candles`. */
  readonly reads: Set<string>
  readonly countWaiting: () => number
  /** Makes a read fail with the named fault until `stopFailing` is called. */
  readonly failRead: (fault: FaultName, read: string) => void
  readonly stopFailing: () => void
}

const getPortName = (key: string): string => key.slice(key.lastIndexOf("/") + 1)

/** Wraps every port of market data, so that a test can make reads of the port fail. */
export const makeFaultyPorts = (): FaultyPorts => {
  const reads = new Set<string>()
  let waiting = 0
  let failing: { readonly fault: Fault; readonly read: string } | undefined

  const read = (port: string, name: string, innerPorts: MarketRead<unknown>): MarketRead<unknown> =>
    Effect.suspend(() => {
      reads.add(`${port}.${name}`)
      if (failing?.read !== `${port}.${name}`) return innerPorts
      const { fault } = failing
      waiting++
      return Effect.ensuring(fault(innerPorts, port), Effect.sync(() => void waiting--))
    })
  const isRead = (value: unknown): value is MarketRead<unknown> => Effect.isEffect(value)
  const wrapPort = (port: string, service: object): object =>
    new Proxy(service, {
      get: (target, name, receiver) => {
        const member: unknown = Reflect.get(target, name, receiver)
        if (isRead(member)) return read(port, String(name), member)
        if (typeof member !== "function") return member
        return (...query: ReadonlyArray<unknown>) => read(port, String(name), Reflect.apply(member, target, query))
      }
    })
  const layer = Layer.effectContext(Effect.map(Effect.context<MarketPorts>(), (innerPorts) => {
    const services = Array.from(innerPorts.mapUnsafe, ([key, service]): [string, unknown] => [
      key,
      key.startsWith("@tapeline/core/market/") ? wrapPort(getPortName(key), service) : service
    ])
    // The cast is safe, because the new context has the same keys with wrapped services.
    return Context.makeUnsafe<MarketPorts>(new Map(services))
  }))
  return {
    layer,
    reads,
    countWaiting: () => waiting,
    failRead: (fault, read) => {
      failing = { fault: faults[fault], read }
    },
    stopFailing: () => {
      failing = undefined
    }
  }
}
