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

/** Answers are kept so long after nothing shows them any more, in ms. */
const keptMs = 1_800_000

/** How an ask that costs credits stands. */
export type Paid<A> = Asked<A> & {
  /** When what is shown was told, in ms since 1970; 0 where nothing is. */
  readonly toldAt: number
  /** What a name that was not known may mean. */
  readonly meant: ReadonlyArray<{ readonly symbol: string; readonly name: string }>
}

interface PaidOptions {
  /** Not asked: nobody opened it. */
  readonly isIdle?: boolean | undefined
  /** Asks again after so many ms while the page is looked at, until that fails. */
  readonly everyMs?: number | undefined
}

const spent: Trouble = { kind: "out of credits", says: undefined, request: undefined, again: true }
const offline: Trouble = { kind: "offline", says: undefined, request: undefined, again: true }

/** What is left of the month's credits; undefined until that is known. */
export const useLeft = (): number | undefined => {
  const usage = useAsk(usageKey, (client, options) => client.usage({}, options), { everyMs: 60_000 })
  return usage.state === "told" ? usage.data.credits.left : undefined
}

/**
 * Asks a tool for what a part of the page shows. It is asked when it is opened and not kept fresh, and when `again` is
 * called: never because the window was looked at again or the network came back. What was begun is let come, as it is
 * paid for by then. Nothing is asked that the credits that are left do not pay.
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
    // What failed waits for a person too.
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

/** Says which asks are kept and still new, as answers come and age: to open them costs nothing. */
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
