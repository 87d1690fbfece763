import { useQuery, useQueryClient } from "@tanstack/react-query"
import { isClientError } from "@tapeline/client"
import { useEffect, useState } from "react"
import { useAccess } from "../access/Access.tsx"
import type { Ask } from "./ask.ts"
import { keyOf } from "./cost.ts"
import { patienceMs } from "./service.ts"
import { type Trouble, troubleOf } from "./trouble.ts"
import { usageKey } from "./usageKey.ts"
import { type Asked, useAsk } from "./useAsk.ts"
import { usePrices } from "./usePrices.ts"

/** How long a result is kept after no part of the page shows it any more, in ms. */
const keptMs = 1_800_000

/** The state of a call that costs credits. */
export type Paid<A> = Asked<A> & {
  /** The time of the displayed response, in ms since 1970; 0 without a response. */
  readonly toldAt: number
  /** The instruments that an unknown name may mean. */
  readonly meant: ReadonlyArray<{ readonly symbol: string; readonly name: string }>
}

interface PaidOptions {
  /** True to send no request, because the part is not open. */
  readonly isIdle?: boolean | undefined
  /** Repeats the call after this time, in ms, while the page is visible. It stops after an error. */
  readonly everyMs?: number | undefined
}

const spent: Trouble = { kind: "out of credits", says: undefined, request: undefined, again: true }
const offline: Trouble = { kind: "offline", says: undefined, request: undefined, again: true }

/** The remaining credits of the month; undefined until they are known. */
export const useLeft = (): number | undefined => {
  const usage = useAsk(usageKey, (client, options) => client.usage({}, options), { everyMs: 60_000 })
  return usage.state === "told" ? usage.data.credits.left : undefined
}

/**
 * Calls a tool for a part of the page: when the part is opened without fresh data, and when `again` is called. A
 * visible window or a restored network does not repeat the call. A running call is not cancelled, because it is already
 * charged. If the remaining credits do not cover the price, no call is sent.
 */
export const usePaid = <A>(ask: Ask<A>, { everyMs, isIdle = false }: PaidOptions = {}): Paid<A> => {
  const { client, identity, over } = useAccess()
  const kept = useQueryClient()
  const price = usePrices().get(ask.tool) ?? 0
  const left = useLeft()
  const isSpent = left !== undefined && left < price
  const { data, dataUpdatedAt, error, fetchStatus, isFetching, refetch } = useQuery({
    queryKey: [identity, ...keyOf(ask)],
    queryFn: async () => {
      try {
        return (await ask.run(client, { timeout_ms: patienceMs })).data
      } catch (error) {
        over(error)
        throw error
      } finally {
        void kept.invalidateQueries({ queryKey: [identity, ...usageKey] })
      }
    },
    enabled: !isIdle && !isSpent,
    staleTime: ask.freshMs,
    gcTime: Math.max(keptMs, ask.freshMs),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    refetchInterval: ({ state }) => isSpent || state.error !== null ? false : everyMs ?? false,
    // A failed call is repeated only by the user.
    retryOnMount: false
  })
  const again = () => void refetch()
  const trouble = isSpent && !isIdle && !isFetching && (data === undefined || everyMs !== undefined)
    ? spent
    : error !== null
    ? troubleOf(error)
    : fetchStatus === "paused"
    ? offline
    : undefined
  const meant = isClientError(error) && error._tag === "CallFailed" ? error.candidates ?? [] : []
  const more = { toldAt: dataUpdatedAt, meant }
  if (data !== undefined) return { state: "told", data, isAsking: isFetching, trouble, again, ...more }
  return trouble === undefined ? { state: "waiting", ...more } : { state: "trouble", trouble, again, ...more }
}

/** Returns a test for calls whose result is kept and still fresh. Opening them is free. */
export const useHeld = (): (ask: Ask) => boolean => {
  const { identity } = useAccess()
  const kept = useQueryClient()
  const [, look] = useState(0)
  useEffect(() => {
    const isOurs = (key: ReadonlyArray<unknown>) => key[1] === "tool"
    const leave = kept.getQueryCache().subscribe(({ query, type }) => {
      if (type === "updated" && isOurs(query.queryKey)) queueMicrotask(() => look((n) => n + 1))
    })
    const timer = setInterval(() => look((n) => n + 1), 15_000)
    return () => {
      leave()
      clearInterval(timer)
    }
  }, [kept])
  return (ask) => {
    const state = kept.getQueryState([identity, ...keyOf(ask)])
    return state?.data !== undefined && !state.isInvalidated && Date.now() - state.dataUpdatedAt < ask.freshMs
  }
}
