import { type MarketPorts, type MarketRead, SourceUnavailable } from "@tapeline/core/market"
import { Context, Effect, Layer } from "effect"
import { SourceHealth, type SourceState } from "../source/index.ts"
import { outageOf } from "./network.ts"

/** Returns the venue of a source, such as `binance` for `binance/spot`, or `news` for `news of two papers`. */
const venueOf = (source: string): string => source.split(/[/ ]/u)[0]!

/** Returns whether an error is from a venue, because a database failure is no evidence about the network. */
const isOfVenue = ({ source }: SourceUnavailable, states: ReadonlyArray<SourceState>): boolean =>
  states.some((state) => venueOf(state.source) === venueOf(source))

const withoutNetwork = ({ failure, reason, retryable, retryAfterMs, source }: SourceUnavailable): SourceUnavailable =>
  new SourceUnavailable({
    source,
    failure,
    reason,
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    hasNoNetwork: true
  })

/**
 * Marks errors of unreachable sources with `hasNoNetwork` while no source is reachable, to distinguish a missing
 * network from an outage of one venue.
 */
export const reportNoNetwork = <E, R>(
  ports: Layer.Layer<MarketPorts, E, R>
): Layer.Layer<MarketPorts, E, R | SourceHealth> =>
  Layer.effectContext(
    Effect.gen(function*() {
      const { states } = yield* SourceHealth
      const built = yield* Layer.build(ports)
      const markOutage = (read: MarketRead<unknown>): MarketRead<unknown> =>
        Effect.catchTag(read, "SourceUnavailable", (error) =>
          Effect.flatMap(states, (known) =>
            error.failure === "unreachable" && isOfVenue(error, known) && outageOf(known) !== undefined
              ? withoutNetwork(error)
              : error))
      const isRead = (member: unknown): member is MarketRead<unknown> =>
        Effect.isEffect(member)
      const wrapService = (service: object): object =>
        new Proxy(service, {
          get: (target, name, receiver) => {
            const member: unknown = Reflect.get(target, name, receiver)
            if (isRead(member)) {
              return markOutage(member)
            }
            if (typeof member !== "function") {
              return member
            }
            return (...query: ReadonlyArray<unknown>) =>
              markOutage(Reflect.apply(member, target, query))
          }
        })
      // The returned context has the same keys as `built`, each with the wrapped service.
      return Context.makeUnsafe<MarketPorts>(
        new Map(Array.from(built.mapUnsafe, ([key, service]): [string, unknown] => [key, wrapService(service)]))
      )
    })
  )
